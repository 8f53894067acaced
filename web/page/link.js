// A game as the part of an address after `#`, such as
// `#magnetic-cave&moves=a6b6&move=1` or `#gridlock&start=xo5/…/5xo_x_0_40&moves=g6f6`.
import { GAMES } from "./games.js";

// The link to a game. Without `move`, it shows the position after all moves; `players` let it continue.
/** @param {{ variant: string, start: string, moves: string[], players?: string[], move?: number }} game */
function linkOf({ variant, start, moves, players, move }) {
  const parts = [variant];
  if (start !== GAMES[variant].start) parts.push(`start=${start.replaceAll(" ", "_")}`);
  if (moves.length) parts.push(`moves=${moves.join("")}`);
  if (move !== undefined && move !== moves.length) parts.push(`move=${move}`);
  if (players) parts.push(`players=${players.map((name) => name.replaceAll(" ", "_")).join(",")}`);
  return `#${parts.join("&")}`;
}

// The game that a link names; null for a link without a game. Throws an error with a sentence.
function gameOfLink(hash) {
  let words;
  try {
    words = decodeURIComponent(hash.replace(/^#/, ""));
  } catch {
    throw new Error("it cannot be decoded");
  }
  const [variant, ...parts] = words.split("&");
  if (!variant) return null;
  if (!Object.hasOwn(GAMES, variant)) throw new Error(`“${variant.slice(0, 40)}” is no game`);
  const fields = Object.fromEntries(parts.map((part) => part.split(/=(.*)/s).slice(0, 2)));
  const moves = fields.moves || "", length = GAMES[variant].sampleMove.length;
  if (moves.length % length) throw new Error("its moves are incomplete");
  const players = fields.players?.replaceAll("_", " ").split(",");
  return { variant, start: fields.start?.replaceAll("_", " ") || GAMES[variant].start,
    moves: moves.match(new RegExp(`.{${length}}`, "gs")) || [],
    players: players?.length === 2 ? players : null,
    move: /^\d+$/.test(fields.move) ? Number(fields.move) : undefined };
}

export { linkOf, gameOfLink };
