// The files that `referee play` saves and loads: saved games, result files, PGN of the referee.
// A game has `variant`, `start`, `moves` and perhaps `players` (words of `playerOf`).
import { GAMES } from "./games.js";
import { RESULTS } from "./scores.js";

const COMMENT = "# A saved game; `load` continues it.";

const RESULT_WORDS = [...RESULTS, "*"];

const quote = (words) => (words.length > 40 ? `${words.slice(0, 40)}…` : words);

// The text of a saved game.
function savedText({ variant, players, start, moves }) {
  return [
    COMMENT,
    `variant: ${variant}`,
    `first: ${players[0]}`,
    `second: ${players[1]}`,
    `start: ${start}`,
    ["moves:", ...moves].join(" "),
    "",
  ].join("\n");
}

function checkVariant(name, place) {
  const variant = String(name).toLowerCase();
  if (!Object.hasOwn(GAMES, variant))
    throw new Error(
      `${place}: unknown game “${quote(String(name))}”; the games are ${Object.keys(GAMES).join(", ")}`,
    );
  return variant;
}

function parseSaved(content) {
  const fields = {};
  content.split("\n").forEach((line, at) => {
    const words = line.trim(), place = `line ${at + 1}`;
    if (!words || words.startsWith("#")) return;
    const split = words.indexOf(":");
    if (split < 0) throw new Error(`${place}: expected “KEY: VALUE”, found “${quote(words)}”`);
    const key = words.slice(0, split).trimEnd();
    if (!["variant", "first", "second", "start", "moves"].includes(key))
      throw new Error(
        `${place}: unknown key “${quote(key)}”; expected variant, first, second, start or moves`,
      );
    if (fields[key] !== undefined) throw new Error(`${place}: “${key}” appears a second time`);
    fields[key] = words.slice(split + 1).trim();
    if (key === "variant") fields.variant = checkVariant(fields.variant, place);
  });
  for (const key of ["variant", "start"]) {
    if (!fields[key]) throw new Error(`end of file: the line “${key}: …” is missing`);
  }
  const { variant, start, moves = "", first, second } = fields;
  return [{ name: "saved game", variant, start, moves: moves.split(/\s+/).filter(Boolean),
    players: first && second ? [first, second] : null }];
}

function parseResults(content) {
  const games = [];
  const lines = content.split("\n");
  lines.forEach((line, at) => {
    if (!line.trim()) return;
    let record;
    try {
      record = JSON.parse(line);
    } catch {
      // The match is running, or was killed.
      if (at === lines.length - 1) return;
      throw new Error(`line ${at + 1}: this is no JSON`);
    }
    if (!Array.isArray(record?.moves)) return;
    const place = `line ${at + 1}`;
    games.push({
      name: `game ${record.id}: ${record.first} against ${record.second}, ${record.result}, ${record.reason}`,
      variant: checkVariant(record.variant, place),
      start: String(record.start),
      moves: record.moves.map(String),
      players: null,
    });
  });
  return games;
}

function parsePgn(content) {
  const games = [];
  let game = null;
  content.split("\n").forEach((line, at) => {
    const words = line.trim();
    if (words.startsWith("%")) return;
    const tag = /^\[(\S+) "(.*)"\]$/.exec(words);
    if (tag) {
      if (!game || game.text) games.push(game = { tags: {}, text: "", line: at + 1 });
      game.tags[tag[1]] = tag[2].replace(/\\(.)/g, "$1");
    } else if (words && !game) {
      throw new Error(`line ${at + 1}: moves before the first tag`);
    } else if (words) {
      game.text += `${words} `;
    }
  });
  return games.map(({ tags, text: moves, line }, at) => {
    if (!tags.GameVariant)
      throw new Error(
        `line ${line}: the game has no tag “GameVariant”, so it is not PGN of “referee match --pgn”`,
      );
    const variant = checkVariant(tags.GameVariant, `line ${line}`);
    // A comment that begins with a score, a depth or a time has recorded facts; others have moves.
    const played = moves.replace(/\{\s*([^\s}]*)([^}]*)\}/g,
      (_, first, rest) => (/^[+\-/]|^[\d.]+s,?$/.test(first) ? " " : ` ${first}${rest} `));
    const found = played.split(/\s+/).filter((word) => !RESULT_WORDS.includes(word)).map((word) =>
      word.replace(/^\d+\.*/, "").replace(/[!?]+$/, "").toLowerCase()
    ).filter((word) => word && !word.startsWith("$"));
    const id = /\.(\d+)$/.exec(tags.Round || "")?.[1] || at + 1;
    return { name: `game ${id}: ${tags.White || "?"} against ${tags.Black || "?"}, ${tags.Result || "*"}`,
      variant, start: tags.Start || GAMES[variant].start, moves: found, players: null };
  });
}

// The games of a file; its format follows from its content. Throws an error that names the line.
function gamesOf(content) {
  const begin = content.replace(/^\ufeff/, "").trimStart();
  if (begin.startsWith("{")) return parseResults(begin);
  if (begin.startsWith("[")) return parsePgn(begin);
  return parseSaved(content);
}

export { savedText, gamesOf };
