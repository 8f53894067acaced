// Who plays: a person, a level, or a player of the engine with its seconds per move. The words are
// those of a saved game.
import { RULES } from "./rules.js";

// The levels of `referee play`. Without a `personality`, the reference player of the game plays.
const LEVELS = [
  { name: "beginner", about: "plays at random", personality: "random", milliseconds: 1000 },
  { name: "easy", about: "looks one move ahead", personality: "lodestone", milliseconds: 1000, depth: 1 },
  { name: "medium", about: "a reference player, looks four moves ahead", milliseconds: 3000 },
  { name: "hard", about: "the engine, 0.1 seconds per move", personality: "lodestone", milliseconds: 100 },
  { name: "expert", about: "the engine, 1 second per move", personality: "lodestone", milliseconds: 1000 },
  { name: "master", about: "the engine, 3 seconds per move, as in the tournament", personality: "lodestone",
    milliseconds: 3000 },
];

const HUMAN = "human";
const DEFAULT_LEVEL = "medium";
const REFERENCE = { "magnetic-cave": "squares", gridlock: "mobility" };
const BOTH_GAMES = Object.keys(RULES);

// The values of the engine's option `Personality`, and the games that each of them plays.
const PERSONALITIES = [{ name: "lodestone", about: "the engine", games: BOTH_GAMES }, { name: "groups",
  about: "counts lines of one colour", games: ["magnetic-cave"] }, { name: "squares",
  about: "weighs all lines of five", games: ["magnetic-cave"] }, { name: "mobility",
  about: "counts free neighbouring cells", games: ["gridlock"] }, { name: "plain",
  about: "a simple yardstick", games: BOTH_GAMES }, { name: "random", about: "a random legal move",
  games: BOTH_GAMES }];

const personalitiesOf = (variant) => PERSONALITIES.filter(({ games }) => games.includes(variant));

// The seconds of a move, or NaN if a text is not a time from 0.001 to 1,000,000 seconds.
function secondsOf(words) {
  const seconds = /^\d+(\.\d+)?$|^\.\d+$/.test(words) ? Number(words) : NaN;
  return seconds >= 0.001 && seconds <= 1e6 ? seconds : NaN;
}

// The player that a word names: `name` is the word, `shown` what the page calls it. Throws an
// error with a sentence for people.
function playerOf(words, variant) {
  const name = words.trim(), lower = name.toLowerCase();
  if (lower === HUMAN) return { name: HUMAN, shown: "a person", isHuman: true };
  const level = LEVELS.find((one, index) => one.name === lower || String(index + 1) === lower);
  if (level) {
    return { name: level.name, shown: level.name, isHuman: false,
      personality: level.personality || REFERENCE[variant], milliseconds: level.milliseconds,
      depth: level.depth };
  }
  const [first, ...rest] = lower.split(/\s+/);
  const personality = PERSONALITIES.find((one) => one.name === first);
  if (!personality) {
    const names = [
      HUMAN,
      ...LEVELS.map((one) => one.name),
      ...personalitiesOf(variant).map((one) => one.name),
    ];
    throw new Error(`“${name.slice(0, 40)}” does not play on this page; expected one of ${names.join(", ")}`);
  }
  if (!personality.games.includes(variant)) throw new Error(`${first} does not play ${RULES[variant].title}`);
  const seconds = rest.length ? secondsOf(rest.join(" ")) : 3;
  if (Number.isNaN(seconds))
    throw new Error(
      `expected the seconds per move from 0.001 to 1000000 after ${first}, `
        + `found “${rest.join(" ").slice(0, 40)}”`,
    );
  return { name: rest.length ? `${first} ${seconds}` : first, shown: first, isHuman: false,
    personality: first, milliseconds: seconds * 1000 };
}

export { LEVELS, HUMAN, DEFAULT_LEVEL, PERSONALITIES, personalitiesOf, playerOf };
