// The views, chosen by the part of the address after `#`.
import { change, el } from "./elements.js";
import { readData } from "./data.js";
import { findPlayers, gamesView, heading, leftOut, pairingView, playerView } from "./lists.js";
import { gameView, onGame } from "./viewer.js";

/** @type {ReadMatch[]} */
let matches = [];
const overview = document.getElementById("overview");
const viewPlace = document.getElementById("view");
const TITLE = document.title;
let viewer = null, hashTimer = null;

// Changes the address without a step in the history. Browsers limit how often. A link that was
// followed in the meantime has priority.
function setHash(hash) {
  clearTimeout(hashTimer);
  const old = location.hash;
  hashTimer = setTimeout(() => viewer && location.hash === old && history.replaceState(null, "", `#${hash}`),
    120);
}

// The view that a link names, or null for the overview.
function viewOf(hash) {
  const [, matchNumber, rest] = /^(?:match-(\d+)-)?(.*)$/.exec(hash);
  const match = matches[Number(matchNumber || 1) - 1];
  const numbers = rest.split(/[a-z-]+/).filter(Boolean).map(Number);
  if (!match) return null;
  if (rest === "games") return { make: () => gamesView(match) };
  if (/^player-\d+$/.test(rest) && match.players[numbers[0] - 1])
    return { make: () => playerView(match, numbers[0] - 1) };
  if (/^pairing-\d+-\d+$/.test(rest))
    return { make: () => pairingView(match, numbers[0] - 1, numbers[1] - 1) };
  if (/^game-\d+(-move-\d+)?$/.test(rest)) {
    const game = match.byId.get(numbers[0]);
    if (game) return { game, plies: numbers[1] ?? Infinity };
    return {
      make:
        () => [heading(`Game ${numbers[0]} was not played, or is not on this page`, match), leftOut(match)],
    };
  }
  return null;
}

function show(isFirst) {
  const hash = location.hash.slice(1);
  if (hash === "content") return;
  clearTimeout(hashTimer);
  const view = viewOf(hash);
  if (view?.game && viewer?.game === view.game) {
    viewer.go(view.plies);
    return;
  }
  viewer?.stop();
  viewer = null;
  overview.hidden = view !== null;
  viewPlace.hidden = view === null;
  viewPlace.replaceChildren();
  document.title = TITLE;
  for (const one of document.querySelectorAll("#views a")) {
    const isCurrent = view ? hash === one.hash.slice(1) : one.hash === "#overview";
    change(one, { "aria-current": isCurrent && "page" });
  }
  if (!view) {
    const section = /^match-\d+$/.test(hash) && document.getElementById(hash);
    if (section) section.scrollIntoView();
    else if (!isFirst) scrollTo(0, 0);
    return;
  }
  if (view.game) {
    viewer = gameView(view.game, view.plies);
    viewer.element.addEventListener("step", () => setHash(viewer.hash));
    viewPlace.append(viewer.element);
    viewer.draw();
  } else {
    change(viewPlace, {}, view.make());
  }
  const title = document.getElementById("view-title");
  title.focus({ preventScroll: true });
  document.title = `${title.textContent} – ${TITLE}`;
  scrollTo(0, 0);
}

document.addEventListener("keydown", (event) => {
  const { target, key } = event, shift = event.shiftKey ? "Shift" : "";
  const isTyping = target.matches("select, textarea, input") && !(target.type === "range" && key === " ");
  const isPressing = key === " " && target.matches("button, summary, a");
  if (!viewer || event.ctrlKey || event.altKey || event.metaKey || isTyping || isPressing
    || !viewer.keys[shift + key]) return;
  event.preventDefault();
  viewer.keys[shift + key]();
});

// For scripts that a server adds to the page.
globalThis.report = { onGame };

// The games are there a moment after the tables.
async function start() {
  try {
    matches = await readData();
  } catch (error) {
    const why = `this browser is from before 2023, or the file is damaged: ${error.message}`;
    overview.prepend(el("p", { class: "note", role: "alert" }, `The games cannot be shown, because ${why}`));
    return;
  }
  document.documentElement.classList.add("scripted");
  findPlayers();
  addEventListener("hashchange", () => show(false));
  show(true);
}

start();
