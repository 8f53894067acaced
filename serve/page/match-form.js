// Starting a match, a tournament or a ladder, and the list of those in the folder.
import { el } from "./elements.js";
import { poll, request, sentence, single } from "./api.js";
import { KeyedList, byKind, numberIn, setText, tableRow } from "./fields.js";
import { template } from "./template.js";

// How often the list is read, in milliseconds.
const READING = 3000;

// The players to check, by kind, each with a button for all. `read` returns their ids in the order in which they
// were chosen.
function playerChecks(players) {
  const chosen = new Set(), count = el("p", { role: "status" }), boxes = new Map();
  function update() {
    for (const [id, { checked }] of boxes)
      if (checked) chosen.add(id);
      else chosen.delete(id);
    setText(count, `${chosen.size} ${chosen.size === 1 ? "player" : "players"} chosen`);
  }
  const check = ({ id, name, about, isBroken }) => {
    boxes.set(id, el("input", { type: "checkbox", value: id, disabled: isBroken, onchange: update }));
    return el("label", { class: "check", title: about }, boxes.get(id),
      el("span", {}, isBroken ? `${name} (cannot be started)` : name));
  };
  const group = ([name, all]) => {
    const checks = all.map(check), own = all.map(({ id }) => boxes.get(id)).filter((box) => !box.disabled);
    const toggle = () => {
      const isOn = own.some((box) => !box.checked);
      for (const box of own) box.checked = isOn;
      update();
    };
    return el("fieldset", {}, el("legend", {}, name),
      own.length > 1
        && el("button", { type: "button", class: "small", onclick: toggle,
          "aria-label": `All or none: ${name}` }, "All or none"), el("div", { class: "checks" }, checks),
      all.filter(({ isBroken }) => isBroken).map(({ about }) => el("p", { class: "help" }, sentence(about))));
  };
  const groups = byKind(players).reverse().map(group);
  update();
  return { elements: [...groups, count], read: () => [...chosen] };
}

function matchForm({ site }) {
  const { element, parts } = template("matches-page"), players = playerChecks(site.players);
  const tell = (why) => setText(parts.problem, why);
  parts.players.append(...players.elements);
  parts.concurrency.value = Math.max(1, Math.floor(site.cores / 2));
  setText(parts.cores, `This machine has ${site.cores} ${site.cores === 1 ? "core" : "cores"}.`);
  setText(parts.folder, site.results);
  parts.form.addEventListener("submit", single(async () => {
    const { format, words, "match-name": name } = parts;
    tell("");
    try {
      const { name: started } = await request("api/matches", {
        kind: format.value === "ladder" ? "ladder" : "match",
        name: name.value.trim(),
        players: players.read(),
        format: format.value || null,
        games: numberIn(parts.games),
        seconds: numberIn(parts["match-seconds"]),
        proto: parts.proto.value || null,
        concurrency: numberIn(parts.concurrency),
        openings: numberIn(parts.openings),
        words: words.value,
      });
      location.hash = `#/match/${encodeURIComponent(started)}`;
      return true;
    } catch (error) {
      tell(sentence(error.message));
      return false;
    }
  }));
  const list = new KeyedList(parts.list, ({ name }) => {
    const act = (whatOf) =>
      single(async () => {
        const path = `api/matches/${encodeURIComponent(name)}`;
        await request(path, { do: whatOf() }).catch(({ message }) => tell(sentence(message)));
        reading.read();
      });
    let isRunning = false;
    const button = el("button", { type: "button", onclick: act(() => (isRunning ? "pause" : "resume")) });
    const remove = el("button", { type: "button", "aria-label": `Remove: ${name}`,
      title: "Takes it from this list; its results stay", onclick: act(() => "remove") }, "Remove");
    const row = tableRow(el("a", { href: `#/match/${encodeURIComponent(name)}` }, name), 4,
      el("td", {}, el("span", { class: "actions" }, button, remove)));
    row.cells[1].className = "words";
    const show = ({ kind, state, played, games, players: number, why }) => {
      isRunning = state === "running";
      row.show([
        kind,
        `${state}${why ? `: ${why}` : ""}`,
        games ? `${played} of ${games}` : played,
        number || "",
      ]);
      setText(button, isRunning ? "Pause" : "Resume");
      button.setAttribute("aria-label", `${button.textContent}: ${name}`);
      button.hidden = !["running", "paused", "failed"].includes(state);
      remove.hidden = isRunning;
    };
    return { element: row.element, show };
  });
  const reading = poll("api/matches", READING, ({ matches }) => {
    // A free name, unless the user has chosen one.
    const { "match-name": field } = parts;
    for (let number = 2;
      field.value === field.defaultValue && matches.some(({ name }) => name === `${field.value}.jsonl`);
      number += 1) field.value = field.defaultValue = `games-${number}`;
    parts.none.hidden = matches.length > 0;
    parts.listed.hidden = matches.length === 0;
    list.show(matches, ({ name }) => name);
  });
  return { title: "Matches", close: reading.end, element };
}

export { matchForm };
