// Starting a match, a tournament or a ladder, and the list of those in the folder.
import { el } from "./elements.js";
import { poll, request, sentence, single } from "./api.js";
import { KeyedList, byKind, field, numberField, problemLine, setText, table } from "./fields.js";

const FORMATS = [
  ["round-robin", "All against all (round-robin)"],
  ["gauntlet", "The player chosen first against all others (gauntlet)"],
  ["swiss", "Rounds between players with similar points (swiss)"],
  ["knockout", "The loser is out (knockout)"],
  ["pyramid", "Each player against those chosen before it (pyramid)"],
  ["ladder", "Ratings, until stopped (ladder)"],
];

// How often the list is read, and how long the form rests before its command is asked for, in
// milliseconds.
const READING = 3000, RESTING = 400;

// The players to check, by kind, each with a button for all. `read` returns their ids.
function playerChecks(players, changed) {
  const boxes = new Map(
    players.map((
      { id, isBroken },
    ) => [id, el("input", { type: "checkbox", value: id, disabled: isBroken, onchange: update })]),
  );
  const count = el("p", { role: "status" });
  // In the order in which they were chosen.
  const chosen = new Set(), read = () => [...chosen];
  function update() {
    for (const [id, box] of boxes)
      if (box.checked) chosen.add(id);
      else chosen.delete(id);
    const number = chosen.size;
    setText(count, `${number} ${number === 1 ? "player" : "players"} chosen`);
    changed();
  }
  const group = ([name, all]) => {
    const own = all.filter(({ isBroken }) => !isBroken).map(({ id }) => boxes.get(id));
    const toggle = () => {
      const isOn = own.some((box) => !box.checked);
      own.forEach((box) => {
        box.checked = isOn;
      });
      update();
    };
    return el("fieldset", {}, el("legend", {}, name),
      own.length > 1
        && el("button", { type: "button", class: "small", onclick: toggle,
          "aria-label": `All or none: ${name}` }, "All or none"),
      el("div", { class: "checks" },
        all.map((player) =>
          el("label", { class: "check", title: player.about }, boxes.get(player.id),
            el("span", {}, player.isBroken ? `${player.name} (cannot be started)` : player.name))
        )),
      all.filter(({ isBroken }) => isBroken).map(({ about }) => el("p", { class: "help" }, sentence(about))));
  };
  setText(count, "0 players chosen");
  return { element: [byKind(players).reverse().map(group), count], read };
}

function matchForm({ site }) {
  const problem = problemLine(), command = el("code"),
    preview = el("p", { class: "command", hidden: true }, "Command: ", command);
  let timer = 0;
  const players = playerChecks(site.players, changed);
  const format = el("select", { id: "format" },
    FORMATS.map(([value, name]) => el("option", { value }, name)));
  const games = numberField("Games of each pairing", "games", 2, { min: 1, max: 1e6, required: true },
    "In a ladder: games of this run.");
  const seconds = numberField("Seconds per move", "match-seconds", 1, { min: 0.001, max: 86400, step: "any" },
    "Empty: as each player is set.");
  const concurrency = numberField("Games at a time", "concurrency", Math.max(1, Math.floor(site.cores / 2)), {
    min: 1,
    max: 256,
    required: true,
  }, `This machine has ${site.cores} ${site.cores === 1 ? "core" : "cores"}.`);
  const openings = numberField("Random moves at the start of each game", "openings", 2, { min: 0, max: 1000 },
    "Without them, programs may repeat their games.");
  const name = el("input", { type: "text", id: "match-name", value: "games", required: true,
    pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*", maxlength: 64,
    title: "letters, digits, dots, hyphens and underscores", spellcheck: "false", autocomplete: "off",
    "aria-describedby": "match-name-help" });
  const words = el("input", { type: "text", id: "words", spellcheck: "false", autocomplete: "off",
    "aria-describedby": "words-help" });
  const body = () => ({ kind: format.value === "ladder" ? "ladder" : "match", name: name.value.trim(),
    players: players.read(), format: format.value, games: games.read(), seconds: seconds.read(),
    concurrency: concurrency.read(), openings: openings.read(), words: words.value });

  // Shows the command that the form would start.
  function changed() {
    clearTimeout(timer);
    problem.replaceChildren();
    timer = setTimeout(async () => {
      preview.hidden = !form.checkValidity() || (players.read().length < 2 && format.value !== "ladder");
      if (preview.hidden) return;
      try {
        setText(command, (await request("api/command", body())).command);
      } catch (error) {
        setText(command, `none yet: ${error.message}`);
      }
    }, RESTING);
  }
  const start = single(async () => {
    problem.replaceChildren();
    try {
      const { name: started } = await request("api/matches", body());
      location.hash = `#/match/${encodeURIComponent(started)}`;
      return true;
    } catch (error) {
      problem.replaceChildren(sentence(error.message));
      return false;
    }
  });
  const form = el("form", { class: "panel", onsubmit: start, oninput: changed },
    el("h3", {}, "Start a match or a tournament"), players.element, field("Format", "format", format),
    el("div", { class: "row" }, games.element, seconds.element),
    el("div", { class: "row" }, concurrency.element, openings.element),
    field("File of the results", "match-name", name, `In ${site.results}; “.jsonl” is added.`),
    field("More options, as on the command line", "words", words,
      "Such as --seed 7 --finish-games. They have priority."), preview, problem,
    el("p", {}, el("button", { type: "submit", class: "main-button" }, "Start")));
  const list = new KeyedList(el("tbody"), matchRow), none = el("p", {}, "There are none yet.");
  const listed = table("Matches", ["Name", "Kind", "State", "Games", "Players", "Action"], list.element);
  const reading = poll("api/matches", READING, ({ matches }) => {
    // A free name, unless the user has chosen one.
    for (let number = 2;
      name.value === name.defaultValue && matches.some((one) => one.name === `${name.value}.jsonl`);
      number += 1) name.value = name.defaultValue = `games-${number}`;
    none.hidden = matches.length > 0;
    listed.hidden = matches.length === 0;
    list.show(matches, (one) => one.name);
  });
  function matchRow({ name: one }) {
    const cells = ["", "words", "", ""].map((kind) => el("td", { class: kind }));
    const act = (whatOf) =>
      single(async () => {
        await request(`api/matches/${encodeURIComponent(one)}`, { do: whatOf() }).catch((error) =>
          problem.replaceChildren(sentence(error.message))
        );
        reading.read();
      });
    const button = el("button", { type: "button", onclick: act(() => (isRunning ? "pause" : "resume")) });
    const remove = el("button", { type: "button", "aria-label": `Remove: ${one}`,
      title: "Takes it from this list; its results stay", onclick: act(() => "remove") }, "Remove");
    let isRunning = false;
    const show = ({ kind, state, played, games: all, players: number, why }) => {
      isRunning = state === "running";
      [
        kind,
        `${state}${why ? `: ${why}` : ""}`,
        all ? `${played} of ${all}` : String(played),
        number ? String(number) : "",
      ].forEach((content, at) => setText(cells[at], content));
      setText(button, isRunning ? "Pause" : "Resume");
      button.setAttribute("aria-label", `${button.textContent}: ${one}`);
      button.hidden = !["running", "paused", "failed"].includes(state);
      remove.hidden = isRunning;
    };
    return {
      element: el("tr", {},
        el("th", { scope: "row" }, el("a", { href: `#/match/${encodeURIComponent(one)}` }, one)), cells,
        el("td", {}, el("span", { class: "actions" }, button, remove))),
      show,
    };
  }
  return { title: "Matches", close: () => {
    reading.end();
    clearTimeout(timer);
  },
    element: [
      el("h2", { tabindex: -1 }, "Matches"),
      el("div", { class: "columns" }, form,
        el("section", { "aria-labelledby": "all-matches" },
          el("h3", { id: "all-matches" }, "Matches in the folder"), none, listed)),
    ] };
}

export { matchForm };
