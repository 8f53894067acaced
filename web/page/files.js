// The dialog to load, save and share a game.
import { el } from "./elements.js";
import { openDialog } from "./dialog.js";
import { gamesOf, savedText } from "./saved-game.js";

// The largest file that is read, in bytes, as for `referee play`.
const MAX_FILE = 64 * 1024 * 1024;

// A text to copy, with its button.
function copyField(id, label, content) {
  const field = el("input", { type: "text", id, readonly: true, value: content,
    onfocus: () => field.select() });
  const button = el("button", { type: "button", "aria-label": `Copy: ${label}`, onclick: async () => {
    try {
      await navigator.clipboard.writeText(content);
      button.replaceChildren("Copied");
    } catch {
      field.focus();
      button.replaceChildren("Press Ctrl+C");
    }
  } }, "Copy");
  return el("p", { class: "copy-field" }, el("label", { for: id }, label), field, button);
}

function download(name, content) {
  const address = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// A field for a file with games. `open` gets the game that is chosen, `say` what is wrong, or "".
function fileField(open, say, parse = gamesOf) {
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

// `game` has what `savedText` needs; `link` and `fen` are shown; `load` gets a game and returns why
// it cannot be loaded, if so.
function filesDialog({ game, link, fen, load }) {
  const open = async (one) => {
    const why = await load(one);
    if (why) dialog.say(why);
    else dialog.close();
  };
  const dialog = openDialog("Load, save, share", [
    el("h3", {}, "Load"),
    fileField(open, (why) => dialog.say(why)),
    el("h3", {}, "Save"),
    el("p", {},
      el("button", { type: "button", onclick: () => download(`${game.variant}.txt`, savedText(game)) },
        "Save as a file"), " `referee play` loads it, too."),
    el("h3", {}, "Share"),
    copyField("link", "Link to this game", link),
    copyField("fen-shown", "FEN of the position shown", fen),
  ]);
}

export { fileField, filesDialog };
