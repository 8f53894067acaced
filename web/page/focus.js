// Keeps the place of the keyboard: a browser drops the focus when the element that has it is hidden, disabled or
// removed.

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

// What `compareDocumentPosition` says of an element that comes earlier in the page.
const EARLIER = 2;

const isThere = (element) => element.isConnected && element.checkVisibility();

// The element that had the focus last, unless the user has left it, and those around it.
let last = null, around = [];

// Gives the focus to the nearest element: in the smallest part of the page that has any, the last one before, else the
// first one.
function look() {
  // The browser may drop the focus later.
  if (!last || ![last, document.body].includes(document.activeElement) || isThere(last)) return;
  for (const part of around) {
    const all = [...part.querySelectorAll(FOCUSABLE)].filter(isThere);
    const found = all.findLast((one) => last.compareDocumentPosition(one) === EARLIER) || all[0];
    if (found) return found.focus({ preventScroll: true });
  }
}

// Keeps the focus from now on.
function keepFocus() {
  const on = (name, act) => document.addEventListener(name, act, true);
  on("focusin", (event) => [last, ...around] = event.composedPath());
  on("focusout", ({ target }) =>
    queueMicrotask(() => {
      if (target === last && document.activeElement !== last && isThere(last)) last = null;
    }));
  on("click", (event) => {
    if (event.target.closest("[aria-disabled=true]")) event.stopImmediatePropagation();
  });
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}

// A button that does nothing now keeps the focus; `disabled` would drop it.
const enable = (button, isPossible) => button.setAttribute("aria-disabled", String(!isPossible));

export { keepFocus, enable };
