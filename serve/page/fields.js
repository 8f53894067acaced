// Parts of forms and lists.
import { el } from "./elements.js";
import { setText } from "./template.js";

const HUMAN = "human";

const KINDS = { level: "Computer, by level", builtin: "Computer, built-in players", program: "Programs",
  submission: "Submissions" };

// The players by kind: [heading, players].
/** @param {KnownPlayer[]} players @returns {any[]} */
const byKind = (players) =>
  Object.entries(KINDS).map(([kind, name]) => [name, players.filter((player) => player.kind === kind)])
    .filter(([, all]) => all.length > 0);

// Lets people choose one of the players. A short choice shows names alone, and says under the pointer what they do.
// Returns the element.
/** @param {any} select @param {KnownPlayer[]} players @param {Choice} how */
function fillPlayers(select, players, { chosen, hasPerson = false, isShort = false }) {
  /** @param {KnownPlayer} player */
  const option = ({ id: value, name, about, isBroken }) =>
    el("option", { value, title: about, selected: value === chosen, disabled: isBroken },
      isBroken ? `${name}: cannot play` : isShort || !about ? name : `${name}: ${about}`);
  if (hasPerson) select.append(option({ id: HUMAN, name: "Person" }));
  select.append(...byKind(players).map(([name, all]) => el("optgroup", { label: name }, all.map(option))));
  return select;
}

// The number in a field; null for an empty one.
const numberIn = ({ value }) => (value === "" ? null : Number(value));

// The seconds that a move took; false if they are not known.
const secondsText = (ms) => typeof ms === "number" && `${(ms / 1000).toFixed(2)} s`;

// A time for people, as exactly as a guess can be.
function durationText(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

// Elements for the items of a list. They stay as long as their items are there.
class KeyedList {
  #known = new Map();

  // `make` gets an item and returns `{ element, show }`; `show` gets each newer version of the item.
  constructor(element, make) {
    this.element = element;
    this.make = make;
  }

  show(items, keyOf) {
    const keys = items.map((item) => String(keyOf(item)));
    for (const [key, { element }] of this.#known) {
      if (keys.includes(key)) continue;
      element.remove();
      this.#known.delete(key);
    }
    items.forEach((item, at) => {
      if (!this.#known.has(keys[at])) this.#known.set(keys[at], this.make(item));
      const { element, show } = this.#known.get(keys[at]);
      if (this.element.children[at] !== element)
        this.element.insertBefore(element, this.element.children[at] || null);
      show?.(item);
    });
  }

  each(act) {
    for (const part of this.#known.values()) act(part);
  }
}

// The name of a file, which may break before its dots.
const fileName = (name) => name.split(/(?=\.)/).flatMap((part) => [el("wbr"), part]);

// A row of a table with a heading and cells; `show` sets the texts of the cells. `more` follows them.
function tableRow(heading, count, ...more) {
  const cells = Array.from({ length: count }, () => el("td"));
  const show = (words) => words.forEach((one, at) => setText(cells[at], String(one)));
  return { element: el("tr", {}, el("th", { scope: "row" }, heading), cells, more), cells, show };
}

export { HUMAN, byKind, fillPlayers, numberIn, secondsText, durationText, fileName, KeyedList, tableRow };
