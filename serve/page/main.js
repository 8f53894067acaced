// The page of `referee serve`: its views, chosen by the part of the address after `#`.
import { change, el } from "./elements.js";
import { request, sentence } from "./api.js";
import { homePage } from "./home.js";
import { KEYS, boardPage } from "./board-page.js";
import { matchForm } from "./match-form.js";
import { matchPage } from "./match-page.js";
import { resultsPage } from "./results.js";
import { keepFocus } from "./focus.js";
import { isUnusedLetter } from "./letters.js";
import { rulesDialog } from "./rules-text.js";
import { template } from "./template.js";

// A view gets the site, the game and the parts of the address. It returns its title and its
// element, and perhaps `close`, which ends it, and `keys`, what keys do in it.
const VIEWS = { "": homePage, open: homePage, board: boardPage,
  match: (context, name) => (name ? matchPage(context, name) : matchForm(context)), projector: matchPage,
  results: resultsPage };

// The link of the navigation that belongs to a view.
const PLACES = { "": "#/", open: "#/", board: "#/", match: "#/match", results: "#/results" };

const content = document.getElementById("content");
/** @type {{ close?(): void, keys?: Record<string, () => void> }} */
let current = {};
let turn = 0;

// The parts of the address after `#/`; none if it cannot be decoded.
function partsOf(hash) {
  try {
    return hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  } catch {
    return [""];
  }
}

async function show(isFirst) {
  const own = ++turn, [name, ...parts] = partsOf(location.hash);
  const kind = Object.hasOwn(VIEWS, name) ? name : "";
  let view;
  try {
    // Players and programs may have changed.
    /** @type {Site} */
    const site = await request("api/site");
    if (own !== turn) return;
    document.getElementById("title").textContent = `referee: ${site.game.title}`;
    const names = template("board-page").parts;
    document.getElementById("rules").onclick = () =>
      rulesDialog(site.game, (name) => names[name].textContent, KEYS);
    view = VIEWS[kind]({ site, rules: site.game }, ...parts);
  } catch (error) {
    if (own !== turn) return;
    view = { title: "Not available",
      element: [
        el("h2", { tabindex: -1 }, "Not available"),
        el("p", { class: "problem" }, sentence(error.message)),
        el("button", { type: "button", onclick: () => show(false) }, "Try again"),
      ] };
  }
  current.close?.();
  current = view;
  document.body.classList.toggle("projector", kind === "projector");
  document.title = `${view.title} – referee`;
  for (const link of document.querySelectorAll("#views a")) {
    const current = link.hash === PLACES[kind] && (link.hash === location.hash ? "page" : "true");
    change(link, { "aria-current": current });
  }
  content.replaceChildren(...[view.element].flat());
  if (!isFirst) content.querySelector("h2")?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  // A key that is held down steps through the game, and does everything else once.
  if (event.repeat && (key === "Enter" || (key.length === 1 && !target.matches("input, select, textarea"))))
    event.preventDefault();
  if (event.ctrlKey || event.altKey || event.metaKey || target.closest("dialog")
    || target.matches("input, select, textarea") || isUnusedLetter(key)) return;
  if (!current.keys?.[key] || (event.repeat && key.length === 1)) return;
  event.preventDefault();
  current.keys[key]();
});

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  content.focus();
});

keepFocus();
addEventListener("hashchange", () => show(false));
show(true);
