// The games of a file, which the server reads.

// A record of a result file; null for another line, and for one that is torn.
function recordOf(line) {
  try {
    const record = JSON.parse(line);
    return Array.isArray(record.moves) ? record : null;
  } catch {
    return null;
  }
}

// The games of a result file, of PGN, or of a saved game: what the server gets, and a name.
function gamesOf(saved) {
  const records = saved.trimStart().startsWith("{") ? saved.split("\n").map(recordOf).filter(Boolean) : [];
  if (records.length)
    return records.map(({ id, first, second, result, reason }) => ({ saved, game: id,
      name: `game ${id}: ${first} against ${second}, ${result}, ${reason}` })
    );
  const count = saved.split("\n").filter((line) => line.startsWith("[Event ")).length;
  return Array.from({ length: Math.max(1, count) },
    (_, at) => ({ saved, game: count ? at + 1 : undefined, name: `game ${at + 1}` }));
}

export { gamesOf };
