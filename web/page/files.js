// The dialog to load, save and share a game.
import { el } from "./elements.js";
import { template } from "./template.js";
import { openDialog } from "./dialog.js";
import { fileField } from "./file-field.js";
import { gamesOf, savedText } from "./saved-game.js";

// Fills a field with a text to copy, by its button.
function fillField(field, button, content) {
  field.value = content;
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(content);
      button.replaceChildren("Copied");
    } catch {
      field.focus();
      button.replaceChildren("Press Ctrl+C");
    }
  });
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
  const { element, parts } = template("files-form");
  parts.loading.append(...fileField(open, (why) => dialog.say(why), gamesOf));
  parts.save.addEventListener("click", () => download(`${game.variant}.txt`, savedText(game)));
  fillField(parts.link, parts["copy-link"], link);
  fillField(parts["fen-shown"], parts["copy-fen-shown"], fen);
  const dialog = openDialog("Load, save, share", element);
}

export { filesDialog };
