// The matches whose pages are tested. All are played by the real referee, with players that are
// fast and, where it matters, repeatable.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GAMES, ROOT, match, page, referee, temporaryFolder } from "./referee.mjs";

const HOSTILE_BOT = fileURLToPath(new URL("hostile-bot.mjs", import.meta.url));

const folder = temporaryFolder();
const made = new Map();

/** Runs `make` once for each name. */
function once(name, make) {
  if (!made.has(name)) made.set(name, make(join(folder, name)));
  return made.get(name);
}

const engine = (...settings) => ["--engine", ...settings];

/** Four players of Magnetic Cave, 36 games: scores of an engine against players without. */
export const cave = () =>
  once("cave", (base) => {
    const results = match(`${base}.jsonl`, [
      ...engine("cmd=lodestone", "nodes=300", "name=alice", "option.Threads=1"),
      ...engine("cmd=plain", "depth=2", "name=bob"),
      ...engine("cmd=squares", "depth=1", "name=carol"),
      ...engine("cmd=random", "depth=1", "name=dave"),
      ...["--games", "6", "--openings", "random:4", "--each", "st=5", "timemargin=5000"],
    ]);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** Two players with clocks of 20 s and 5 s more for each move, 2 games. */
export const timed = () =>
  once("timed", (base) => {
    const results = match(`${base}.jsonl`, [
      ...engine("cmd=squares", "depth=1", "name=carol"),
      ...engine("cmd=random", "depth=1", "name=dave"),
      ...["--games", "2", "--openings", "random:3", "--each", "tc=20+5", "timemargin=5000"],
    ]);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** Two players with long names and one that writes no move, 120 games. */
export const faulty = () =>
  once("faulty", (base) => {
    const results = match(`${base}.jsonl`, [
      ...engine("cmd=node", `args="${HOSTILE_BOT}" 0`, "name=a bot that writes no move"),
      ...engine("cmd=squares", "depth=1", "name=the-bot-of-the-second-team"),
      ...engine("cmd=random", "depth=1", "name=carol"),
      ...["--games", "40", "--openings", "random:4", "--each", "st=5", "timemargin=5000"],
    ]);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** Two players of whom the first on the command line loses most of 20 games. */
export const pair = () =>
  once("pair", (base) => {
    const results = match(`${base}.jsonl`, [...[
      "squares",
      "groups",
      "--games",
      "20",
      "--openings",
      "random:4",
    ], ...["--each", "depth=2", "timemargin=5000"]]);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** The sample course: a player that cannot start, and others that lose by faults. */
export const course = () =>
  once("course", (base) => {
    const results = join(ROOT, "examples/course/games.jsonl");
    return { results, page: page(`${base}.html`, [results]) };
  });

/** 22 players, so many that there is a field to find one. */
export const crowd = () =>
  once("crowd", (base) => {
    const students = Array.from({ length: 22 }, (_, at) => engine("cmd=random", `name=student ${at + 1}`));
    const results = match(`${base}.jsonl`, [
      ...students.flat(),
      ...["--format", "gauntlet", "--games", "1"],
      ...["--each", "depth=1", "timemargin=5000"],
    ]);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** Three players of Gridlock, 12 games. */
export const gridlock = () =>
  once("gridlock", (base) => {
    const results = match(`${base}.jsonl`, [
      ...["--variant", "gridlock", "--pieces", "8", "--turns", "60"],
      ...engine("cmd=lodestone", "nodes=200", "name=alice", "option.Threads=1"),
      ...engine("cmd=mobility", "depth=2", "name=bob"),
      ...engine("cmd=random", "depth=1", "name=carol"),
      ...["--games", "4", "--openings", "random:2", "--each", "st=5", "timemargin=5000"],
    ]);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** The games of `cave`, analysed; the page is made of both files, as a student may have them. */
export const analysed = () =>
  once("analysed", (base) => {
    const results = `${base}.jsonl`;
    referee(["analyze", cave().results, "--engine", "cmd=lodestone", "nodes=1000", "--out", results]);
    return { results, page: page(`${base}.html`, [cave().results, results]) };
  });

/** Games of random players, whose courses are as varied as possible: `count` games. */
export const randomGames = (variant, count, words = []) =>
  once(`random-${variant}-${count}-${words.join("")}`, (base) => {
    const results = match(`${base}.jsonl`, [
      ...["--variant", variant, ...words],
      ...engine("cmd=random", "name=a", "option.Seed=1"),
      ...engine("cmd=random", "name=b", "option.Seed=2"),
      ...["--games", `${count}`, "--openings", "random:4", "--each", "depth=1", "timemargin=5000"],
    ]);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** Two games by a rules program, `games.py NAME`; `bare` is a page that is made without the rules. */
export const other = (name) =>
  once(`other-${name}`, (base) => {
    const rules = ["--rules", `cmd=${GAMES}`, `args=${name}`];
    const player = (seed) => engine(`cmd=${GAMES}`, `args=${name} ${seed}`, `name=player ${seed}`);
    const written = `${base}-live.html`;
    const results = match(`${base}.jsonl`, [...[...rules, ...player(1), ...player(2), "--games", "2"], ...[
      "--each",
      "st=5",
      "timemargin=5000",
      "--html",
      written,
    ]]);
    return { results, written, page: page(`${base}.html`, [results], rules),
      bare: page(`${base}-bare.html`, [results]) };
  });

/** Ten pairings of five fast players. `count` is a multiple of 20. */
export const manyGames = (count, variant) =>
  once(`many-${variant}-${count}`, (base) => {
    const players = variant === "gridlock" ? ["plain 1", "mobility 1", "plain 2", "random 1", "mobility 2"]
      : ["plain 2", "plain 1", "squares 1", "groups 1", "random 1"];
    const results = match(`${base}.jsonl`, [
      ...["--variant", variant],
      ...players.flatMap((name) =>
        engine(`cmd=${name.split(" ")[0]}`, `depth=${name.split(" ")[1]}`, `name=${name}`)
      ),
      ...["--games", `${count / 10}`, "--openings", "random:4", "--concurrency", "2"],
      ...["--each", "st=5", "timemargin=5000"],
    ]);
    const started = performance.now();
    const file = page(`${base}.html`, [results]);
    return { results, page: file, seconds: (performance.now() - started) / 1000 };
  });

/** Names that would be markup, script, keys of objects or a broken layout if a page let them. */
export const HOSTILE_NAMES = [
  '<img src=x onerror="window.pwned=1">',
  "</script><script>window.pwned=2</script>",
  "\"'><svg onload=window.pwned=3>`${window.pwned=4}`",
  "<!--<script>-->]]>&lt;b&gt;&#60;",
  "\u202eexe.gnp\u2066 \u05e9\u05dc\u05d5\u05dd",
  "__proto__",
  "constructor",
  "W".repeat(64 * 1024),
];

/** A round robin of players with hostile names, one of which also writes markup and loses by it. */
export const hostile = () =>
  once("hostile", (base) => {
    const [first, ...others] = HOSTILE_NAMES;
    const results = match(`${base}.jsonl`, [
      ...engine("cmd=node", `args="${HOSTILE_BOT}" 3`, `name=${first}`),
      ...others.flatMap((name) => engine("cmd=random", "depth=1", `name=${name}`)),
      ...[
        "--games",
        "2",
        "--openings",
        "random:2",
        "--concurrency",
        "2",
        "--each",
        "st=5",
        "timemargin=5000",
      ],
    ]);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** The same games with markup in every free text of the file, as a stranger may send it. */
export const forged = () =>
  once("forged", (base) => {
    const markup = '</script><img src=x onerror="window.pwned=5"><!--<script>\u2028\u0000\u0007';
    const lines = readFileSync(cave().results, "utf8").split("\n").filter(Boolean);
    const changed = lines.map((line) => {
      const object = JSON.parse(line);
      if (object.moves) {
        object.detail = markup + object.detail;
        object.extra = { [markup]: markup };
      } else {
        object.event = markup;
        object.site = markup;
        for (const player of object.engines) player.cmd = markup;
      }
      return JSON.stringify(object);
    });
    const results = `${base}.jsonl`;
    writeFileSync(results, `${changed.join("\n")}\n`);
    return { results, page: page(`${base}.html`, [results]) };
  });

/** One page of all kinds of matches: files that a report takes together, each with its own table. */
export const kinds = () =>
  once("kinds", (base) => {
    const fast = ["--each", "st=5", "timemargin=5000", "depth=1", "--openings", "random:4"];
    const players = (count) =>
      ["random", "plain", "squares", "groups", "lodestone"].slice(0, count).flatMap((name) =>
        engine(`cmd=${name}`)
      );
    const kind = (name, words, options) => match(`${base}-${name}.jsonl`, [...words, ...fast], options);
    const results = { pair: kind("pair", [...players(2), "--games", "10"]),
      swiss: kind("swiss", [...players(5), "--format", "swiss"]),
      knockout: kind("knockout", [...players(4), "--format", "knockout"]),
      gauntlet: kind("gauntlet", [...players(4), "--format", "gauntlet", "--record", "all"]),
      sprt: kind("sprt", [...engine("cmd=plain"), ...engine("cmd=random"), ...[
        "--games",
        "400",
        "--sprt",
        "elo0=0",
        "elo1=50",
      ]]), unfit: kind("unfit", [...players(3), ...engine("cmd=/bin/true", "name=true"), "--skip-broken"]),
      forfeit: kind("forfeit", [
        ...players(2),
        ...engine("cmd=node", `args="${HOSTILE_BOT}" 0`, "name=quits"),
        ...["--games", "6", "--forfeit-after", "2"],
      ]),
      adjudicated: kind("adjudicated", [...engine("cmd=lodestone", "nodes=500"), ...engine("cmd=plain"), ...[
        "--games",
        "6",
        "--prove",
        "empty=30",
        "--draw",
        "movenumber=8",
        "movecount=3",
        "score=30",
      ]]), gridlock: kind("gridlock", [...players(2), "--variant", "gridlock", "--games", "4"]) };
    // A match that has only begun: its header and two games; and one without any game.
    const lines = readFileSync(results.pair, "utf8").split("\n");
    results.begun = `${base}-begun.jsonl`;
    writeFileSync(results.begun, `${lines.slice(0, 3).join("\n")}\n`.replaceAll('"seed":1', '"seed":2'));
    results.empty = `${base}-empty.jsonl`;
    writeFileSync(results.empty, `${lines[0]}\n`.replaceAll('"seed":1', '"seed":3'));
    return { results, page: page(`${base}.html`, Object.values(results)) };
  });
