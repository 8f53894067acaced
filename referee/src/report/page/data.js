// Reads the packed games. `packing.rs` writes them and describes the format.

const DIGITS = new Map([..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].map((digit, value) => [digit, value]));

// The numbers of `size` digits in a text.
function numbers(text, size) {
  const values = [];
  for (let at = 0; at + size <= text.length; at += size) {
    let value = 0;
    for (let next = at; next < at + size; next++) value = 64 * value + DIGITS.get(text[next]);
    values.push(value);
  }
  return values;
}

// A time in milliseconds: microseconds, or a mantissa of four digits and its scale.
function timeOf(code) {
  const long = code - 10000;
  return (long < 0 ? code : ((long % 9000) + 1000) * 10 ** (Math.floor(long / 9000) + 1)) / 1000;
}

// A score from its mover's view; null for none.
function scoreOf(code) {
  if (code === 0) return null;
  if (code === 1) return { kind: "draw", value: 0 };
  if (code < 2050) return { kind: "win", value: code - 2 };
  if (code < 4098) return { kind: "loss", value: code - 2050 };
  return { kind: "cp", value: code - 124098 };
}

// The matches with their games. Only the fields that lists need are read here.
function readMatches(data) {
  return data.matches.map(({ match, games, running = [], texts }, index) => {
    const one = { ...match, index, texts, rules: match.other ? OTHER_GAME : RULES[match.variant], prefix: index ? `match-${index + 1}-` : "" };
    one.games = games.map((game) => readGame(one, game)).sort((a, b) => a.id - b.id);
    one.running = running.map((game) => readGame(one, game));
    one.byId = new Map([...one.running, ...one.games].map((game) => [game.id, game]));
    return one;
  });
}

function readGame(match, packed) {
  const [id, first, second, pair, round, start, opening, result, reason, detail, moves, times, scores, extra] = packed;
  return {
    match, id, pair, round, opening, result, moves, times, scores,
    players: [first, second],
    start: match.texts[start],
    reason: match.texts[reason],
    detail: match.texts[detail],
    length: moves.length / (match.rules.slides ? 2 : 1),
    extra: extra || {},
  };
}

function unpackMoves(rules, packed) {
  const cells = numbers(packed, 1);
  return rules.slides ? cells.flatMap((from, at) => (at % 2 ? [] : [{ from, to: cells[at + 1] }])) : cells.map((to) => ({ from: to, to }));
}

// The lines of a game by a rules program are texts.
const unpackLines = (packed) => (Array.isArray(packed) ? packed : (packed || "").split("."));
const lineText = (rules, packed) => (rules.isOther ? packed || "" : unpackMoves(rules, packed || "").map((move) => moveText(rules, move)).join(" "));

// A whole game: positions, and for each move its player, text, time, score and mark.
function replay(game) {
  const { rules } = game.match, { extra, opening } = game, analysis = extra.analysis || {};
  const scores = (packed) => numbers(packed || "", 3).map(scoreOf), times = (packed) => numbers(packed || "", 3).map(timeOf);
  const columns = { time: times(game.times), score: scores(game.scores), depth: extra.depth, nodes: extra.nodes, line: unpackLines(extra.lines),
    before: scores(analysis.before), after: scores(analysis.after), best: unpackLines(analysis.lines) };
  const clocks = times(extra.clocks), marks = new Map();
  for (let at = 0, all = extra.marks || ""; at < all.length; at += 3) marks.set(numbers(all.slice(at, at + 2), 2)[0], numbers(all[at + 2], 1)[0]);
  const played = rules.isOther ? [...game.moves].map((text) => ({ text })) : unpackMoves(rules, game.moves);
  const positions = rules.isOther ? readBoards(game) : [parseFen(rules, game.start)];
  const moves = played.map((move, index) => {
    const before = positions[index], facts = {};
    for (const [name, column] of Object.entries(columns)) facts[name] = column && index >= opening ? column[index - opening] : undefined;
    if (!rules.isOther) positions.push(play(rules, before, move));
    return { ...move, ...facts, index, text: rules.isOther ? move.text : moveText(rules, move), mover: before.side - 1, opening: index < opening, mark: marks.get(index), clock: clocks[index + 2] };
  });
  return { game, rules, positions, moves, clocks };
}

function timeText(ms) {
  if (ms < 1000) return `${Number(ms.toPrecision(3))} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")} min`;
}

const RESULTS = ["½–½", "1–0", "0–1"];
const FAULTS = ["time", "stall", "illegal", "garbage", "crash", "forfeit"];
const isFault = (game) => FAULTS.includes(game.reason);
