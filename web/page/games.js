// The games: the engine prints their facts, as `lodestone games` does.

// The facts of each game by its name, the default first. The keys are documented at `facts::game` of the engine.
const GAMES = {};

// What the engine says of the sides, x and o, with the signs of the board.
const inSigns = (rules, words) => words.replace(/\b[xo]\b/g, (side) => rules.signs["xo".indexOf(side)]);

export { GAMES, inSigns };
