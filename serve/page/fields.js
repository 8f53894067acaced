// Parts of forms and lists.
import { el } from "./elements.js";

const HUMAN = "human";

const KINDS = { level: "Computer, by level", builtin: "Computer, built-in players", program: "Programs" };

// The players by kind: [heading, players].
const byKind = (players) =>
  Object.entries(KINDS).map(([kind, name]) => [name, players.filter((player) => player.kind === kind)])
    .filter(([, all]) => all.length > 0);

// A choice of a player. A short one shows names alone.
function playerSelect(players, { id, label, chosen, hasPerson = false, isShort = false, changed }) {
  const option = ({ id: value, name, about, isBroken }) =>
    el("option", { value, selected: value === chosen, disabled: isBroken },
      isBroken ? `${name}: cannot be started` : isShort || !about ? name : `${name}: ${about}`);
  const select = el("select", { id, "aria-label": label, onchange: () => changed?.(select.value) },
    hasPerson && option({ id: HUMAN, name: "Person" }),
    byKind(players).map(([name, all]) => el("optgroup", { label: name }, all.map(option))));
  return select;
}

const field = (label, id, input, help) =>
  el("p", { class: "field" }, el("label", { for: id }, label), input,
    help && el("small", { id: `${id}-help` }, help));

function numberField(label, id, value, attributes, help) {
  const input = el("input", { type: "number", id, value, "aria-describedby": help && `${id}-help`,
    ...attributes });
  return { element: field(label, id, input, help),
    read: () => (input.value === "" ? null : Number(input.value)), input };
}

const problemLine = () => el("p", { class: "problem", role: "alert" });

// A region of its own for what may be wider than the page.
const scrolling = (label, ...content) =>
  el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, ...content);

const table = (label, headings, body) =>
  scrolling(label, el("table", {}, el("thead", {}, el("tr", {}, headings.map((heading) =>
    el("th", { scope: "col" }, heading)
  ))), body));

// Sets the text of an element. An element that has it already does not change, so that a reader
// keeps the place.
function setText(element, words) {
  if (element.textContent !== words) element.textContent = words;
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
      show(item);
    });
  }

  each(act) {
    for (const part of this.#known.values()) act(part);
  }
}

export { HUMAN, byKind, playerSelect, field, numberField, problemLine, table, setText, KeyedList };
