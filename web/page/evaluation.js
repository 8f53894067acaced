// What the analysis shows: the bar beside the board, and the best moves with their lines.
import { el } from "./elements.js";
import { expected } from "./scores.js";
import { MAX_LINE_MOVES, labelOf, barScore, shortScore } from "./sentences.js";
import { lineButtons } from "./lines.js";

// How many moves of a line fit beside its score, by the length of a move.
const SHORT_MOVE = 3;
const LINE_MOVES = { short: MAX_LINE_MOVES - 4, long: MAX_LINE_MOVES - 6 };

class Evaluation {
  #fill = el("div", { class: "bar-fill" });
  #words = el("span", { class: "bar-words" });
  #lines = el("ol", { class: "best-lines", "aria-label": "Best moves" });
  #facts = el("p", { class: "facts-of-analysis" });

  // `preview` gets a line and how many of its moves to show; null shows lines as text.
  constructor(preview) {
    this.preview = preview;
    this.bar = el("div", { class: "bar", role: "img", hidden: true }, this.#fill, this.#words);
    this.panel = el("section", { class: "analysis", "aria-label": "Analysis", hidden: true }, this.#facts,
      this.#lines);
  }

  /** @param {ShownAnalysis} analysis @param {Rules} rules @param {Ending | null} ending @param {boolean} isResting */
  #factsOf({ failure, isReady, lines: [best] }, rules, ending, isResting) {
    if (failure) return failure;
    if (ending) return "The game is over here.";
    if (isResting) return "The analysis waits while the computer thinks.";
    if (!best) return "Thinking …";
    const nodes = best.nodes && `${best.nodes.toLocaleString("en")} nodes`;
    const work = [best.depth && `Depth ${best.depth}`, nodes].filter(Boolean).join(", ");
    return `${work && `${work}${isReady ? "." : " …"} `}+ is good for ${labelOf(rules, 1)}.`;
  }

  // `ending` is the end of the game if the position shown is the last one.
  /** @param {ShownEvaluation} state */
  show({ analysis, rules, side, ending, isTurned, isResting }) {
    this.bar.hidden = this.panel.hidden = !analysis.isOn;
    if (!analysis.isOn) return;
    const [best] = analysis.lines;
    // The points that the side to move expects, and those of the first player.
    const own = best && expected(best.score), first = side === 1 ? own : 1 - own;
    const share = ending ? (ending.winner ? 2 - ending.winner : 0.5) : best ? first : null;
    if (share !== null) {
      const words = ending ? ["½", "1–0", "0–1"][ending.winner] : shortScore(best.score, side, 1);
      this.#fill.style.height = `${(100 * share).toFixed(1)}%`;
      this.#words.replaceChildren(ending ? words : barScore(best.score));
      this.bar.setAttribute("aria-label",
        `Evaluation: ${words}; ${Math.round(100 * share)} of 100 points for the first player`);
      this.bar.classList.toggle("first-leads", share >= 0.5);
    } else if (!this.bar.hasAttribute("aria-label")) {
      this.bar.setAttribute("aria-label", "Evaluation: not known yet");
    }
    this.bar.classList.toggle("turned", isTurned);
    this.#facts.replaceChildren(this.#factsOf(analysis, rules, ending, isResting));
    // A button that has the focus stays where it is.
    if (this.#lines.contains(document.activeElement)) return;
    const isLong = analysis.lines.some((line) => line?.pv[0]?.length > SHORT_MOVE);
    this.#lines.classList.toggle("long", isLong);
    this.#lines.replaceChildren(
      ...analysis.lines.filter(Boolean).map((line) =>
        el("li", {}, el("strong", { class: "score" }, shortScore(line.score, side)), " ",
          lineButtons(line.pv, this.preview && ((count) => this.preview(line, count)),
            isLong ? LINE_MOVES.long : LINE_MOVES.short))
      ),
    );
  }
}

export { Evaluation };
