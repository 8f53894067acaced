// Playing: the form that starts a game, and the boards that are open.
import { el } from "./elements.js";
import { clockChoice } from "./clocks.js";
import { fileField } from "./file-field.js";
import { openBoard, poll, request, sentence, single } from "./api.js";
import { gamesOf } from "./game-file.js";
import { HUMAN, KeyedList, field, numberField, playerSelect, problemLine, setText } from "./fields.js";

// How often the list of open boards is read, in milliseconds.
const READING = 3000;

// Without `file`, a new game starts; otherwise one continues that stands in a result file.
function homePage({ site }, file, game, plies) {
  const problem = problemLine(),
    labels = [0, 1].map((seat) =>
      `Player ${seat + 1} (${site.game.signs[seat]})${seat ? "" : ", moves first"}`
    );
  const seats = [HUMAN, site.defaults.opponent].map((chosen, seat) =>
    playerSelect(site.players, { id: `seat-${seat + 1}`, chosen, hasPerson: true })
  );
  const clock = clockChoice("clock");
  const seconds = numberField("Seconds per move of programs", "seconds", "", { min: 0.01, max: 3600,
    step: "any" }, "Empty: 3. Levels have their own time.");
  const pieces = numberField("Pieces of each side", "pieces", 5, { min: 1, max: 24, required: true }),
    turns = numberField("Turn limit", "turns", 40, { min: 1, max: 1000, required: true });
  const hasSetup = site.game.hasSetup && !file;
  const list = new KeyedList(el("ul", { class: "cards" }), card), empty = el("p", {}, "No board is open.");

  const start = single(async (more) => {
    const body = { players: seats.map((select) => select.value), clock: clock.read(), seconds: seconds.read(),
      ...more };
    problem.replaceChildren();
    try {
      location.hash = `#/board/${await openBoard(body)}`;
      return true;
    } catch (error) {
      problem.replaceChildren(sentence(error.message));
      return false;
    }
  });
  function submit(event) {
    event.preventDefault();
    start(
      file ? { file, game: Number(game), plies: Number(plies) }
        : hasSetup ? { pieces: pieces.read(), turns: turns.read() } : {},
    );
  }
  function card({ id }) {
    const link = el("a", { href: `#/board/${id}` }), status = el("p");
    const button = el("button", { type: "button", onclick: single(async () => {
      await request(`api/boards/${id}`, { do: "close" }).catch((error) =>
        problem.replaceChildren(sentence(error.message))
      );
      reading.read();
    }) }, "Close");
    const show = ({ players, moves, status: words }) => {
      setText(link, `Board ${id}: ${players.join(" against ")}`);
      setText(status, `${moves} ${moves === 1 ? "move" : "moves"}. ${words}`);
      button.setAttribute("aria-label", `Close the board: ${link.textContent}`);
    };
    return { element: el("li", {}, el("h4", {}, link), status, button), show };
  }
  const reading = poll("api/boards", READING, ({ boards }) => {
    empty.hidden = boards.length > 0;
    list.show(boards, ({ id }) => id);
  });
  const load = fileField(({ saved, game }) => start({ saved, game }), (why) => problem.replaceChildren(why),
    gamesOf);
  return { title: "Play", close: reading.end,
    element: [
      el("h2", { tabindex: -1 }, "Play"),
      el("div", { class: "columns" },
        el("form", { class: "panel", onsubmit: submit },
          file
            ? el("p", { class: "note" }, `Game ${game} of ${file} continues after move ${plies}. `,
              el("a", { href: "#/" }, "Start a new game instead")) : null,
          seats.map((select, seat) => field(labels[seat], `seat-${seat + 1}`, select)),
          field("Clock", "clock", clock.element), seconds.element,
          hasSetup ? el("div", { class: "row" }, pieces.element, turns.element) : null, problem,
          el("p", {},
            el("button", { type: "submit", class: "main-button" }, file ? "Continue the game" : "Start")),
          file ? null
            : el("details", {}, el("summary", {}, "Load a game"),
              el("p", {}, "The players and the clock above play it."), load)),
        el("section", { "aria-labelledby": "open-boards" }, el("h3", { id: "open-boards" }, "Open boards"),
          empty, list.element)),
    ] };
}

export { homePage };
