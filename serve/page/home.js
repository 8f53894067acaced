// Playing: the form that starts a game, and the boards that are open.
import { el } from "./elements.js";
import { clockChoice } from "./clocks.js";
import { fileField } from "./files.js";
import { request, sentence } from "./api.js";
import { contentOf, parserOf } from "./board-page.js";
import { HUMAN, KeyedList, field, numberField, playerSelect, problemLine, setText } from "./fields.js";

// How often the list of open boards is read, in milliseconds.
const READING = 3000;

// Without `file`, a new game starts; otherwise one continues that stands in a result file.
function homePage({ site, rules }, file, game, plies) {
  const problem = problemLine(), labels = [0, 1].map((seat) => `Player ${seat + 1} (${site.game.signs[seat]})${seat ? "" : ", moves first"}`);
  const seats = [HUMAN, site.defaults.opponent].map((chosen, seat) => playerSelect(site.players, { id: `seat-${seat + 1}`, chosen, hasPerson: true }));
  const clock = clockChoice("clock");
  const seconds = numberField("Seconds per move of programs", "seconds", "", { min: 0.01, max: 3600, step: "any" }, "Empty: 3. Levels have their own time.");
  const pieces = numberField("Pieces of each side", "pieces", 5, { min: 1, max: 24, required: true }), turns = numberField("Turn limit", "turns", 40, { min: 1, max: 1000, required: true });
  const hasSetup = site.game.hasSetup && !file;
  const list = new KeyedList(el("ul", { class: "cards" }), openBoard), empty = el("p", {}, "No board is open.");

  async function start(more) {
    const body = { players: seats.map((select) => select.value), clock: clock.read(), seconds: seconds.read(), ...more };
    problem.replaceChildren();
    try {
      const { id } = await request("api/boards", body);
      location.hash = `#/board/${id}`;
    } catch (error) {
      problem.replaceChildren(sentence(error.message));
    }
  }
  function submit(event) {
    event.preventDefault();
    start(file ? { file, game: Number(game), plies: Number(plies) } : hasSetup ? { pieces: pieces.read(), turns: turns.read() } : {});
  }
  function openBoard({ id }) {
    const link = el("a", { href: `#/board/${id}` }), status = el("p");
    const button = el("button", { type: "button", onclick: async () => { await request(`api/boards/${id}`, { do: "close" }).catch((error) => problem.replaceChildren(sentence(error.message))); read(); } }, "Close");
    const show = ({ players, moves, status: words }) => {
      setText(link, `Board ${id}: ${players.join(" against ")}`);
      setText(status, `${moves} ${moves === 1 ? "move" : "moves"}. ${words}`);
      button.setAttribute("aria-label", `Close the board: ${link.textContent}`);
    };
    return { element: el("li", {}, el("h4", {}, link), status, button), show };
  }
  async function read() {
    if (document.hidden) return;
    try {
      const { boards } = await request("api/boards");
      empty.hidden = boards.length > 0;
      list.show(boards, ({ id }) => id);
    } catch (error) {
      empty.hidden = false;
      setText(empty, sentence(error.message));
    }
  }
  read();
  const timer = setInterval(read, READING);
  const load = fileField((one) => start({ saved: contentOf(one) }), (why) => problem.replaceChildren(why), parserOf(rules));
  return {
    title: "Play",
    close: () => clearInterval(timer),
    element: [el("h2", { tabindex: -1 }, "Play"),
      el("div", { class: "columns" },
        el("form", { class: "panel", onsubmit: submit },
          file ? el("p", { class: "note" }, `Game ${game} of ${file} continues after move ${plies}. `, el("a", { href: "#/" }, "Start a new game instead")) : null,
          seats.map((select, seat) => field(labels[seat], `seat-${seat + 1}`, select)), field("Clock", "clock", clock.element), seconds.element,
          hasSetup ? el("div", { class: "row" }, pieces.element, turns.element) : null,
          problem, el("p", {}, el("button", { type: "submit", class: "main-button" }, file ? "Continue the game" : "Start")),
          file ? null : el("details", {}, el("summary", {}, "Load a game"), el("p", {}, "The players and the clock above play it."), load)),
        el("section", { "aria-labelledby": "open-boards" }, el("h3", { id: "open-boards" }, "Open boards"), empty, list.element))],
  };
}

export { homePage };
