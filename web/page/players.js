// Who plays: a person, a level, or a player of the engine with its seconds per move. The words are
// those of a saved game.
import { GAMES } from "./games.js";

const HUMAN = "human";
const DEFAULT_LEVEL = "medium";

// The seconds of a move, or NaN if a text is not a time from 0.001 to 1,000,000 seconds.
function secondsOf(words) {
  const seconds = /^\d+(\.\d+)?$|^\.\d+$/.test(words) ? Number(words) : NaN;
  return seconds >= 0.001 && seconds <= 1e6 ? seconds : NaN;
}

const named = (list, word) => list.find(({ name }) => name === word);

// The player that a word names: `name` is the word. Throws an error with a sentence for people.
/** @param {string} words @param {Rules} rules @returns {Player} */
function playerOf(words, { title, levels, players }) {
  const name = words.trim(), lower = name.toLowerCase();
  if (lower === HUMAN) return { name: HUMAN, isHuman: true };
  const level = named(levels, lower) || levels[Number(lower) - 1];
  if (level) {
    return { name: level.name, isHuman: false, personality: level.player, milliseconds: level.milliseconds,
      depth: level.depth ?? undefined };
  }
  const [first, ...rest] = lower.split(/\s+/);
  if (!named(players, first)) {
    if (Object.values(GAMES).some((other) => named(other.players, first)))
      throw new Error(`${first} does not play ${title}`);
    const names = [HUMAN, ...[...levels, ...players].map((one) => one.name)];
    throw new Error(`“${name.slice(0, 40)}” does not play on this page; expected one of ${names.join(", ")}`);
  }
  const seconds = rest.length ? secondsOf(rest.join(" ")) : 3;
  if (Number.isNaN(seconds))
    throw new Error(
      `expected the seconds per move from 0.001 to 1000000 after ${first}, `
        + `found “${rest.join(" ").slice(0, 40)}”`,
    );
  return { name: rest.length ? `${first} ${seconds}` : first, isHuman: false, personality: first,
    milliseconds: seconds * 1000 };
}

export { HUMAN, DEFAULT_LEVEL, playerOf };
