// What `referee serve` adds to the page of a result file: a link back, a button that opens the game on
// a board, and transcripts. It runs after the script of the page.
import { el } from "./elements.js";

const file = location.pathname.split("/").pop();
document.getElementById("views").prepend(el("a", { href: "../#/results" }, "← All results"));

globalThis.report.onGame((view) => {
  const { game, tools } = view;
  const open = () => {
    location.href = `../#/open/${file}/${game.id}/${view.plies}`;
  };
  tools.prepend(el("button", { type: "button", class: "open-board", onclick: open }, "Open on a board"));
  // The page has the transcripts of some games; the server has those of all.
  if (!game.isFault || !view.transcribe) return;
  fetch(`${file}/transcript/${game.id}`).then(
    (answer) => (answer.ok ? answer.text() : "There is no transcript of this game."),
    () => "The server does not answer.",
  ).then(view.transcribe);
});
