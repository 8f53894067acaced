// Hints, and the reasons for a move: `hint` and `why` of `referee play`.
import { expectation } from "./sentences.js";

const ADVISER = "lodestone";

// The time of one hint, in milliseconds.
const ADVICE_TIME = 1000;

// Asks the engine about a position.
function askAdviser(engine, { variant, line }) {
  return engine.search({ options: { UCI_Variant: variant, Personality: ADVISER, MultiPV: 1 }, position: line,
    limits: { movetime: ADVICE_TIME } });
}

const hintText = (move) => `Hint: ${move}, says ${ADVISER}; “Why” shows its score and line.`;

// What `why` says after this number of moves: each part has a sentence, and a line with the number
// of moves before it. `advice` is the answer of the adviser, null after the end of the game.
function reasons(session, plies, advice) {
  const { rules } = session, parts = [];
  const last = session.moves[plies - 1];
  if (last?.info)
    parts.push({
      words: expectation(rules, `${last.player}, which played ${last.text},`, last.side, last.info),
      line: last.info.pv,
      plies: plies - 1,
    });
  if (advice)
    parts.push({
      words: expectation(rules, `${ADVISER}, asked now,`, session.positions[plies].side, advice.info),
      line: advice.info?.pv || [advice.move],
      plies,
    });
  return parts;
}

export { askAdviser, hintText, reasons };
