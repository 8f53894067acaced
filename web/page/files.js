// The dialog to load, save and share a game.
import { el } from "./elements.js";
import { openDialog } from "./dialog.js";
import { fileField } from "./file-field.js";
import { gamesOf, savedText } from "./saved-game.js";

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
    fileField(open, (why) => dialog.say(why), gamesOf),
    el("h3", {}, "Save"),
    el("p", {},
      el("button", { type: "button", onclick: () => download(`${game.variant}.txt`, savedText(game)) },
        "Save as a file"), " `referee play` loads it, too."),
    el("h3", {}, "Share"),
    copyField("link", "Link to this game", link),
    copyField("fen-shown", "FEN of the position shown", fen),
  ]);
}

export { filesDialog };
