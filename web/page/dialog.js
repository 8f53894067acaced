// Dialogs: native ones, so Escape closes them and the focus stays inside.
import { el } from "./elements.js";

// Opens a dialog. Without `action`, it has only the button that closes it, and begins at its title. `act` may return a
// sentence that says why it cannot be done; then the dialog stays. `done` is called after it has closed
// by `act`. While it acts, a second click does nothing.
function openDialog(title, content, action, act, done) {
  const problem = el("p", { class: "problem", role: "alert" });
  const close = () => dialog.close();
  let isActing = false;
  const form = el("form", { method: "dialog", onsubmit: async (event) => {
    event.preventDefault();
    if (isActing) return;
    isActing = true;
    const why = await act?.();
    isActing = !why;
    if (why) problem.replaceChildren(why);
    else {
      dialog.addEventListener("close", () => done?.());
      close();
    }
  } }, el("h2", { id: "dialog-title", tabindex: !action && -1, autofocus: !action }, title), content, problem,
    el("p", { class: "buttons" }, action && el("button", { type: "submit", class: "main-button" }, action),
      el("button", { type: "button", onclick: close }, action ? "Cancel" : "Close")));
  const dialog = el("dialog", { "aria-labelledby": "dialog-title", onclose: () => dialog.remove() }, form);
  document.body.append(dialog);
  dialog.showModal();
  return { close, say: (why) => problem.replaceChildren(why) };
}

export { openDialog };
