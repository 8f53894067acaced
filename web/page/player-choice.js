// A field that says who plays: a person, a level, or a player with its seconds per move.
import { HUMAN, playerOf } from "./players.js";
import { el } from "./elements.js";

// `value` is a word of `playerOf`; `changed` gets the new word. A short field shows names alone.
function playerChoice({ id, label, rules, value, isShort = false, changed = null }) {
  const [chosen, seconds = "3"] = value.split(" ");
  const option = (name, words) => el("option", { value: name, selected: name === chosen }, words);
  const named = ({ name, about }) => option(name, isShort ? name : `${name}: ${about}`);
  const select = el("select", { id, "aria-label": label }, option(HUMAN, "Person"),
    el("optgroup", { label: "Computer, by level" }, rules.levels.map(named)),
    el("optgroup", { label: "Computer, by player" }, rules.players.map(named)));
  const field = el("input", { type: "number", min: 0.001, max: 1e6, step: "any", value: seconds,
    "aria-label": `${label}: seconds per move` });
  const time = el("label", { class: "seconds" }, field, " s per move");
  const isPlayer = () => rules.players.some(({ name }) => name === select.value);
  const read = () => (isPlayer() ? `${select.value} ${field.value}` : select.value);
  const update = () => {
    time.hidden = !isPlayer();
    try {
      playerOf(read(), rules);
      field.setCustomValidity("");
    } catch (error) {
      field.setCustomValidity(error.message);
      field.reportValidity();
      return;
    }
    changed?.(read());
  };
  time.hidden = !isPlayer();
  select.addEventListener("change", update);
  field.addEventListener("change", update);
  return { element: el("span", { class: "player-choice" }, select, time), read };
}

export { playerChoice };
