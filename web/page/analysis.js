// Analysis of the position that is shown: the best moves with their lines.

const BEST_MOVES = 3;

// The longest analysis of one position, in milliseconds.
const LONGEST = 60_000;

// How often new lines are drawn at most, in milliseconds.
const DRAWING = 150;

class Analysis {
  #engine;
  #changed;
  #count;
  #key = null;
  #timer = 0;

  // `changed` is called when there is something new to draw, `count` is the number of best moves.
  constructor(engine, changed, count = BEST_MOVES) {
    this.#engine = engine;
    this.#changed = changed;
    this.#count = count;
    this.isOn = false;
    this.clear();
  }

  clear() {
    this.lines = [];
    this.failure = null;
    this.isReady = false;
  }

  // Analyses a position from now on; null for none. `line` is that of the protocol.
  follow(target) {
    const key = this.isOn && target ? `${target.variant} ${target.line}` : null;
    if (key === this.#key) return;
    this.#key = key;
    this.#engine.stop();
    this.clear();
    if (key) this.#run(target, key);
  }

  async #run({ variant, line }, key) {
    const isWanted = () => this.#key === key;
    try {
      const answer = await this.#engine.search({
        options: { UCI_Variant: variant, Personality: "lodestone", MultiPV: this.#count },
        position: line,
        limits: { movetime: LONGEST },
        isWanted,
        onInfo: (info) => {
          if (!isWanted()) return;
          this.lines[info.multipv - 1] = info;
          this.#timer ||= setTimeout(() => this.#draw(), DRAWING);
        },
      });
      if (answer && isWanted()) {
        this.lines = answer.lines;
        this.isReady = true;
        this.#changed();
      }
    } catch (error) {
      if (!isWanted()) return;
      this.failure = error.message;
      this.#changed();
    }
  }

  #draw() {
    this.#timer = 0;
    this.#changed();
  }
}

export { BEST_MOVES, Analysis };
