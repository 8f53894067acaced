// Whether letters are keys. Programs for dictation type letters, so they can be turned off; the browser remembers it
// where it may.
import { el } from "./elements.js";

const PLACE = "lodestone-letters";

let areKeys = true;
try {
  areKeys = localStorage.getItem(PLACE) !== "off";
} catch {
  // A page from a file may not remember anything.
}

// Whether this key is a letter that does nothing.
const isUnusedLetter = (key) => !areKeys && /^[a-z]$/i.test(key);

function letterSwitch() {
  const box = el("input", { type: "checkbox", onchange: () => {
    areKeys = box.checked;
    try {
      localStorage.setItem(PLACE, areKeys ? "on" : "off");
    } catch {
      // As above.
    }
  } });
  box.checked = areKeys;
  return el("p", {}, el("label", { class: "radio" }, box, " Letters are keys"));
}

export { isUnusedLetter, letterSwitch };
