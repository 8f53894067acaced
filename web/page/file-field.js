// The field for a file with games.
import { el } from "./elements.js";

// The largest file that is read, in bytes, as for `referee play`.
const MAX_FILE = 64 * 1024 * 1024;

// A field for a file with games. `open` gets the game that is chosen, `say` what is wrong, or ""; `parse` finds the games,
// each with a `name`.
function fileField(open, say, parse) {
  const place = el("div");
  const read = async () => {
    const [file] = input.files;
    place.replaceChildren();
    say("");
    if (!file) return;
    try {
      if (file.size > MAX_FILE) throw new Error("it is longer than 64 MiB");
      const games = parse(await file.text());
      if (!games.length) throw new Error("it holds no games");
      if (games.length === 1) {
        await open(games[0]);
        return;
      }
      const list = el("select", { id: "game-of-file", size: 8 }, games.map(({ name }, at) =>
        el("option", { value: at, selected: at === 0 }, name)
      ));
      place.replaceChildren(el("label", { for: "game-of-file" }, `${games.length} games`), list,
        el("p", {}, el("button", { type: "button", onclick: () =>
          open(games[list.value]) }, "Load this game")));
    } catch (error) {
      say(`${file.name}: ${error.message}`);
    }
  };
  const input = el("input", { type: "file", id: "file", onchange: read });
  return [
    el("p", {}, el("label", { for: "file" }, "A saved game, a result file, or PGN of the referee"), input),
    place,
  ];
}

export { fileField };
