// The choice of a clock.
import { el } from "./elements.js";

// Minutes for the game and seconds per move.
const CLOCKS = [[1, 0], [3, 2], [5, 3], [10, 5], [30, 20]];

// Lets people choose a clock. `base` is the time chosen, in milliseconds. Returns a function
// that reads the choice: null or `{ base, increment }`.
function clockChoice(element, base) {
  element.append(el("option", { value: "" }, "no clock"),
    ...CLOCKS.map(([minutes, seconds]) =>
      el("option", { value: `${minutes} ${seconds}`, selected: base === minutes * 60_000 },
        `${minutes} min + ${seconds} s per move`)
    ));
  return () => {
    const [minutes, seconds] = element.value.split(" ").map(Number);
    return element.value ? { base: minutes * 60_000, increment: seconds * 1000 } : null;
  };
}

export { clockChoice };
