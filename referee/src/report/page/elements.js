// Elements of HTML and SVG. Texts become text nodes, never markup.

// Whether an attribute or a child is left out.
const isNone = (value) => (value ?? false) === false;

// Sets attributes of an element, takes those away that are none, and appends children.
function change(element, attributes, ...children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (isNone(value)) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => !isNone(child)));
  return element;
}

const el = (name, ...parts) => change(document.createElement(name), ...parts);
const svg = (name, ...parts) =>
  change(document.createElementNS("http://www.w3.org/2000/svg", name), ...parts);
const text = (x, y, content, anchor, extra) =>
  svg("text", { x, y, "text-anchor": anchor || "start", ...extra }, content);

// What a message quotes between backticks is code.
const coded = (words) => {
  const parts = words.split("\x60");
  return parts.length % 2 ? parts.map((part, at) => (at % 2 ? el("code", {}, part) : part)) : words;
};

// The numbers of the players whose names have these letters, of one if it is its whole name.
function playersOf(names, wanted) {
  const lower = (name) => name.trim().toLowerCase(), word = lower(wanted),
    whole = names.findIndex((name) => lower(name) === word);
  return whole >= 0 ? [whole] : [...names.keys()].filter((at) => lower(names[at]).includes(word));
}

// Marks the rows of standings with the players that a field finds, and shows the first of them. Returns a function that
// marks them again when the rows have changed.
function findRows(field, told, body) {
  const mark = () => {
    const rows = [...body.rows], { value } = field,
      found = playersOf(rows.map(({ cells }) => cells[1].textContent), value);
    rows.forEach((row, at) => row.classList.toggle("found", value !== "" && found.includes(at)));
    const isNoted = !found.length
      && [...field.closest("section").querySelectorAll(".note")].some((note) =>
        note.textContent.toLowerCase().includes(value.trim().toLowerCase())
      );
    const words = value && (isNoted ? "see the note below the table" : `${found.length} found`);
    if (told.textContent !== words) told.textContent = words;
    return rows[found[0]];
  };
  field.addEventListener("input", () => {
    const row = mark(), box = row?.closest(".scroll");
    if (!row) return;
    box.scrollTop = row.offsetTop - box.clientHeight / 2;
    row.scrollIntoView({ block: "nearest" });
  });
  return mark;
}

export { change, el, svg, text, coded, playersOf, findRows };
