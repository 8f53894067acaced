// Playing: the form that starts a game, and the boards that are open.
import { el } from "./elements.js";
import { clockChoice } from "./clocks.js";
import { fileField } from "./file-field.js";
import { openBoard, poll, request, sentence, single } from "./api.js";
import { gamesOf } from "./game-file.js";
import { HUMAN, KeyedList, fillPlayers, numberIn } from "./fields.js";
import { signed } from "./sentences.js";
import { setText, template } from "./template.js";

// How often the list of open boards is read, in milliseconds.
const READING = 3000;

// Without `file`, a new game starts; otherwise one continues that stands in a result file.
/** @param {{ site: Site }} context @param {string} file @param {string} game @param {string} plies */
function homePage({ site }, file, game, plies) {
  const { element, parts } = template("home-page");
  const seats = [HUMAN, site.defaults.opponent].map((chosen, seat) =>
    fillPlayers(parts[`seat-${seat + 1}`], site.players, { chosen, hasPerson: true })
  );
  for (const side of [1, 2]) parts[`sign-${side}`].append(...signed(site.game, side));
  const readClock = clockChoice(parts.clock), hasSetup = site.game.hasSetup && !file;
  const tell = (why) => setText(parts.problem, why);
  if (file) {
    setText(parts.continued, `Game ${game} of ${file} continues after move ${plies}. `);
    setText(parts.start, "Continue the game");
  }
  parts.continuing.hidden = !file;
  parts.loading.hidden = Boolean(file);
  if (!hasSetup) parts.setup.remove();

  const start = single(async (more) => {
    tell("");
    try {
      const id = await openBoard({ players: seats.map(({ value }) => value), clock: readClock(),
        seconds: numberIn(parts.seconds), ...more });
      location.hash = `#/board/${id}`;
      return true;
    } catch (error) {
      tell(sentence(error.message));
      return false;
    }
  });
  parts.form.addEventListener("submit", (event) => {
    event.preventDefault();
    start(
      file ? { file, game: Number(game), plies: Number(plies) }
        : hasSetup ? { pieces: numberIn(parts.pieces), turns: numberIn(parts.turns) } : {},
    );
  });
  parts.loading.append(
    ...fileField(({ saved, game: number }) => start({ saved, game: number }), tell, gamesOf),
  );

  const list = new KeyedList(parts.boards, ({ id }) => {
    const link = el("a", { href: `#/board/${id}` }), status = el("p");
    const close = async () => {
      await request(`api/boards/${id}`, { do: "close" }).catch(({ message }) => tell(sentence(message)));
      reading.read();
    };
    const button = el("button", { type: "button", onclick: single(close) }, "Close");
    /** @param {OpenBoard} board */
    const show = ({ players, moves, status: words }) => {
      setText(link, `Board ${id}: ${players.join(" against ")}`);
      setText(status, `${moves} ${moves === 1 ? "move" : "moves"}. ${words}`);
      button.setAttribute("aria-label", `Close the board: ${link.textContent}`);
    };
    return { element: el("li", {}, el("h4", {}, link), status, button), show };
  });
  /** @param {{ boards: OpenBoard[] }} answer */
  const show = ({ boards }) => {
    parts.empty.hidden = boards.length > 0;
    list.show(boards, ({ id }) => id);
  };
  const reading = poll("api/boards", READING, show);
  return { title: "Play", close: reading.end, element };
}

export { homePage };
