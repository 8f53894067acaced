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

// The tokens of PGN: a tag and its value, a comment, what is skipped (`%` at the begin of a line, `;`, `$1`, and what is
// no tag), a sign or a word. A quote inside of a value may lack its backslash.
const PGN_TOKEN = new RegExp(
  [
    /\[\s*([^\s"[\]]+)\s*"((?:\\["\\]|"(?!\s*\])|[^"\r\n])*)"\s*\]/,
    /\{([^}]*)\}/,
    /^%.*|;.*|\$\d*|^[ \t]*\[.*|\[[^\]"\n]*\]/,
    /([[{}()]|[^\s{}();$]+)/,
  ].map((token) => token.source).join("|"),
  "gm",
);

// What should have been a tag that says what is played from where.
const NO_START = /^\s*\[\s*(?:GameVariant|Variant|FEN|Start)(?![^\s"[\]:=])/;

function parsePgn(content) {
  const games = [];
  let game = null, end = 0, line = 1;
  for (const { 0: token, 1: name, 2: value, 3: comment, 4: word, index } of content.matchAll(PGN_TOKEN)) {
    const ends = content.slice(end, index).split("\n").length - 1;
    line += ends;
    if (name) {
      const isSecond = game && Object.hasOwn(game.tags, name);
      const isApart = ends > 1;
      if (!game || game.hasMoves || (name === "Event" ? isApart || isSecond : isApart && isSecond))
        games.push(game = { tags: {}, moves: [], line, open: [], hasMoves: false, isOver: false });
      if (!Object.hasOwn(game.tags, name)) game.tags[name] = value.replace(/\\(["\\])/g, "$1");
    } else if (word === "[" || !comment && NO_START.test(token)) {
      throw new Error(`line ${line}: expected a tag such as “[Round "1.1"]”, found “${quote(token)}”`);
    } else if (word === "{") {
      throw new Error(`line ${line}: the comment has no end “}”`);
    } else if (word && !game) {
      throw new Error(`line ${line}: moves before the first tag`);
    } else if (word === "(" || word === ")") {
      if (word === "(") game.open.push(line);
      else game.open.pop();
    } else if (word && word !== "}") {
      const isResult = RESULT_WORDS.includes(word), isRead = !game.open.length && !game.isOver;
      if (isRead && !isResult) game.moves.push(...movesOf(word));
      game.isOver ||= isRead && isResult;
      game.hasMoves = true;
    } else if (comment && game && !game.open.length && !/^\s*(?:[+\-/]|[\d.]+s,?(?!\S))/.test(comment)) {
      // A comment that begins with a score, a depth or a time has recorded facts; others have moves.
      game.moves.push(...movesOf(comment));
      game.hasMoves ||= game.moves.length > 0;
    }
    end = index + token.length;
    line += token.split("\n").length - 1;
  }
  const [begin] = games.flatMap(({ open }) => open);
  if (begin) throw new Error(`line ${begin}: the variation has no end “)”`);
  return games.map(({ tags, moves, line: place }, at) => {
    if (!tags.GameVariant)
      throw new Error(
        `line ${place}: the game has no tag “GameVariant”, so it is not PGN of “referee match --pgn”`,
      );
    const variant = checkVariant(tags.GameVariant, `line ${place}`);
    const id = /\.(\d+)$/.exec(tags.Round || "")?.[1] || at + 1;
    return { name: `game ${id}: ${tags.White || "?"} against ${tags.Black || "?"}, ${tags.Result || "*"}`,
      variant, start: tags.Start || tags.FEN || GAMES[variant].start, moves, players: null };
  });
}

// The moves among these words.
function movesOf(text) {
  const bare = (word) => word.replace(/^\d+[.…]*/, "").replace(/[!?]+$/, "").toLowerCase();
  return text.split(/\s+/).map(bare).filter(Boolean);
}

// The games of a file; its format follows from its content. Throws an error that names the line.
function gamesOf(content) {
  const begin = content.replace(/^\ufeff/, "").trimStart();
  if (begin.startsWith("{")) return parseResults(begin);
  if (/^(?:[%;].*[\r\n]\s*)*\[/.test(begin)) return parsePgn(begin);
  return parseSaved(content);
}

export { savedText, gamesOf };
