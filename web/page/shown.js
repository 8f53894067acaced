// What of a game is on the board: the position after some of its moves, or a line that is followed from there.
import { stepsOf } from "./steps.js";
import { enable } from "./focus.js";

class Shown {
  #movesOf;
  #say;
  #changed;

  // The number of moves before the position.
  plies = 0;

  // The line that is followed: its `words`, its `positions`, and the `count` of its moves that are shown.
  line = null;

  // `movesOf` returns the moves of the game, `say` gets a sentence for people; `changed` draws the board.
  constructor(movesOf, say, changed) {
    this.#movesOf = movesOf;
    this.#say = say;
    this.#changed = changed;
    const { buttons, keys } = stepsOf((plies) => this.go(plies), (by) => this.step(by));
    this.buttons = Object.values(buttons);
    this.keys = { ...keys, PageUp: keys.ArrowLeft, PageDown: keys.ArrowRight };
  }

  get #total() {
    return this.#movesOf().length;
  }

  get isAtEnd() {
    return !this.line && this.plies === this.#total;
  }

  // Whether an earlier position of the game is shown.
  get isEarlier() {
    return !this.line && this.plies < this.#total;
  }

  // The position, by those of the game.
  positionOf(positions) {
    return this.line ? this.line.positions[this.line.count] : positions[this.plies];
  }

  go(plies) {
    const total = this.#total;
    this.plies = Math.min(Math.max(plies, 0), total);
    this.line = null;
    const last = this.#movesOf()[this.plies - 1];
    this.#say(last ? `Move ${this.plies} of ${total}: ${last.text}` : "Start of the game");
    this.#changed();
  }

  // Shows the position after the first `count` moves of a line.
  follow({ words, positions }, count) {
    this.line = { words, positions, count };
    this.#say(`Line, move ${count}: ${words[count - 1]}`);
    this.#changed();
  }

  step(by) {
    if (!this.line) this.go(this.plies + by);
    else if (this.line.words[this.line.count + by - 1]) this.follow(this.line, this.line.count + by);
  }

  leave() {
    if (!this.line) return;
    this.line = null;
    this.#say("Back to the game");
    this.#changed();
  }

  // What is shown, as the beginning of a sentence; nothing for the last position.
  get place() {
    if (this.line) return `Line, move ${this.line.count} of ${this.line.words.length}. `;
    return this.isAtEnd ? "" : `After move ${this.plies} of ${this.#total}. `;
  }

  drawButtons() {
    const [start, back, forward, end] = this.buttons;
    for (const button of [start, back]) enable(button, this.line || this.plies > 0);
    for (const button of [forward, end]) enable(button, !this.isAtEnd);
  }
}

export { Shown };
