// Runs the real binaries: matches that make result files, reports that make pages, and the
// engine as the authority on the rules.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

/** The folder of the binaries: `BIN` of the environment, or what cargo built. */
const BIN = [process.env.BIN, "target/release", "target/debug"].filter(Boolean).map((folder) =>
  resolve(ROOT, folder)
).find((folder) => existsSync(join(folder, "referee")));
if (!BIN) throw new Error("no binaries: run `cargo build --release` first, or set BIN");

export const REFEREE = join(BIN, "referee");
export const LODESTONE = join(BIN, "lodestone");

/** A folder that is deleted when the process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), "lodestone-page-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the referee and returns its output. `statuses` are the exit statuses that are right. */
export function referee(words, { input = "", statuses = [0] } = {}) {
  return run(REFEREE, words, { input, statuses });
}

export function run(program, words, { input = "", statuses = [0], cwd = ROOT } = {}) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, words, { input, encoding: "utf8",
    maxBuffer: 1 << 28, timeout: 240_000, cwd, env: { ...process.env, PATH: `${BIN}:${process.env.PATH}` } });
  if (error) throw error;
  if (!statuses.includes(status)) {
    throw new Error(
      `${program} ${words.join(" ").slice(0, 300)}: status ${status} ${signal ?? ""}\n${stderr}\n${
        stdout.slice(-2000)
      }`,
    );
  }
  return { status, stdout, stderr };
}

/** Plays a match and returns its result file. */
export function match(file, words, options) {
  referee(["match", ...words, "--quiet", "--out", file], options);
  return file;
}

/** Writes the page of result files and returns it. Status 1 says that games are missing. */
export function page(file, results, words = []) {
  referee(["report", ...results, "--html", file, ...words], { statuses: [0, 1] });
  return file;
}

/** The records of a result file by their number. */
export function records(file) {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const games = lines.map((line) => JSON.parse(line)).filter((line) => line.moves);
  return new Map(games.map((game) => [game.id, game]));
}

/** The rules programs and bots of the tests. */
export const GAMES = fileURLToPath(new URL("games.py", import.meta.url));

/** What a rules program answers to a query in each position of a game; an answer is a list of lines. */
export function answers(name, query, moves) {
  const lines = [...moves.keys(), moves.length].flatMap((
    plies,
  ) => [
    `position startpos${plies ? ` moves ${moves.slice(0, plies).join(" ")}` : ""}`,
    `query ${query}`,
    "isready",
  ]);
  const { stdout } = run(GAMES, [name], { input: lines.concat("quit", "").join("\n") });
  const parts = stdout.split("readyok\n").slice(0, -1);
  return parts.map((part) => part.split("\n").slice(0, -1).map((line) => line.replace(/^response ?/, "")));
}

/** The FEN after each of the numbers of moves of a game, from the engine. */
export function positions(variant, questions) {
  const lines = [`setoption name UCI_Variant value ${variant}`];
  for (const { start, moves } of questions) {
    lines.push(`position fen ${start}${moves.length ? ` moves ${moves.join(" ")}` : ""}`, "d");
  }
  const { stdout } = run(LODESTONE, [], { input: lines.concat("quit", "").join("\n") });
  const fens = [...stdout.matchAll(/^Fen: (.*)$/gm)].map(([, fen]) => fen);
  if (fens.length !== questions.length) throw new Error(`the engine refused a position:\n${stdout}`);
  return fens;
}
