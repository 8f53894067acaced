// The games: the engine prints their facts, as `lodestone games` does.

// The facts of each game by its name, the default first. The keys are documented at `facts::game` of the engine.
/** @type {Record<string, Rules>} */
const GAMES = {};

export { GAMES };
