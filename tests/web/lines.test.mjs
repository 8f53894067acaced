// The tables in `tests/lines`, which other languages read and are tested with as well.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { parseInfo, parseOption } from "../../web/package/engine.js";
import { LODESTONE, ROOT, run } from "../page/lib/referee.mjs";

register("./lib/modules.mjs", import.meta.url);
const { GAMES } = await import("../../web/page/games.js");
const { gamesOf } = await import("../../web/page/saved-game.js");
const scores = readFileSync(join(ROOT, "referee/src/report/page/scores.js"), "utf8");
const { expected: pointsOf, parseScore } = await import(`data:text/javascript,${encodeURIComponent(scores)}`);

for (const game of JSON.parse(run(LODESTONE, ["games"]).stdout)) GAMES[game.name] = game;

const table = (name) =>
  readFileSync(join(ROOT, "tests/lines", name), "utf8").split("\n").filter((line) =>
    line && !line.startsWith("#")
  );

const NUMBERS = ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time"];

function infoText({ score, pv, ...numbers }) {
  const plies = score?.kind === "mate"
    && (score.value > 0 ? `win ${2 * score.value - 1}` : `loss ${-2 * score.value}`);
  const words = NUMBERS.slice(0, 3).concat("score", NUMBERS.slice(3)).flatMap((name) => {
    if (name === "score") return score ? [name, plies || `${score.kind} ${score.value}`] : [];
    return name in numbers ? [name, numbers[name]] : [];
  });
  return ["info", ...words, ...(pv.length ? ["pv", ...pv] : [])].join(" ");
}

function optionText(option) {
  if (option === null) return "unreadable";
  const { name, type, values = [], ...numbers } = option;
  const parts = ["default", "min", "max"].filter((key) => key in numbers).map((key) =>
    `${key} ${numbers[key]}`
  );
  return [`option name ${name} type ${type}`, ...parts, ...values.map((value) => `var ${value}`)].join(" ")
    .trim();
}

// A number as JavaScript has it, and no text as none.
const asHere = (line) =>
  line.replace(" <empty>", "").replace(/(?<= )-?(inf|\d+(\.\d+)?)(?= |$)/g, (number) =>
    String(Number(number.replace("inf", "Infinity"))));

for (const [name, shown, expectedOf] of [["info", (line) => infoText(parseInfo(line)), (line) => line], [
  "option",
  (line) => optionText(parseOption(line)),
  asHere,
]]) {
  test(`lines of the table ${name}`, () => {
    const lines = table(`${name}.txt`);
    assert.ok(lines.length > 20);
    for (const line of lines) {
      const [given, expected] = line.split(" => ");
      assert.deepEqual(shown(given), expectedOf(expected), given);
    }
  });
}

test("files with games", () => {
  for (const line of table("games.txt")) {
    const { file, error, ...expected } = JSON.parse(line);
    if (error) {
      assert.throws(() => gamesOf(file), ({ message }) => message.startsWith(error), line);
      continue;
    }
    const [{ variant, start, moves, players }, ...others] = gamesOf(file);
    assert.deepEqual({ variant, start, moves: moves.join(" ").toLowerCase(), ...(players && { players }) },
      expected, line);
    assert.deepEqual(others, [], line);
  }
});

// As `expected_points` in core/src/results/analysis.rs has them, so that the curve agrees with the marks of mistakes.
test("scores are worth the same points as in Rust", () => {
  for (const [score, points] of [["cp 0", 0.5], ["cp 400", 0.7311], ["cp -163", 0.3995], ["win 9", 1], [
    "loss 0",
    0,
  ], ["draw 0", 0.5]]) {
    assert.ok(Math.abs(pointsOf(parseScore(score)) - points) < 1e-4, score);
  }
});
