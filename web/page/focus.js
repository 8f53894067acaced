// Keeps the place of the keyboard: a browser drops the focus when the element that has it is hidden, disabled or
// removed.

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

// The element that had the focus last, unless the user has left it.
let last = null;

const isThere = (element) => element.isConnected && element.checkVisibility();

// The element nearest to a place: in the smallest part of the page that has any, the last one before, else the first one
// after.
function nearest(place) {
  for (let part = place.parentElement; part; part = part.parentElement) {
    const all = [...part.querySelectorAll(FOCUSABLE)].filter(isThere);
    const isBefore = (one) => place.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING;
    if (all.length) return all.findLast(isBefore) || all[0];
  }
  return null;
}

// What is now where an element was that has been removed.
function placeOf(element, records) {
  const record = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(element)));
  return record && (record.nextSibling || record.previousSibling || record.target);
}

function look(records) {
  if (!last || document.activeElement !== document.body || isThere(last)) return;
  const place = last.isConnected ? last : placeOf(last, records);
  last = null;
  if (place) nearest(place)?.focus({ preventScroll: true });
}

// Keeps the focus from now on: where its element is hidden or removed, the nearest one gets it.
function keepFocus() {
  document.addEventListener("focusin", ({ target }) => {
    last = target;
  });
  document.addEventListener("focusout", ({ target }) =>
    queueMicrotask(() => {
      if (target === last && document.activeElement !== target && isThere(target)) last = null;
    }));
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true,
    attributeFilter: ["hidden", "class", "open"] });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[aria-disabled=true]")) event.stopImmediatePropagation();
  }, true);
}

// A button that does nothing now keeps the focus; `disabled` would drop it.
const enable = (button, isPossible) => button.setAttribute("aria-disabled", String(!isPossible));

export { keepFocus, enable };
