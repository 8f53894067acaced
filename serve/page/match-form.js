// Starting a match, a tournament or a ladder, and the list of those in the folder.
import { el } from "./elements.js";
import { poll, request, sentence, single } from "./api.js";
import { KeyedList, byKind, durationText, fileName, numberIn, tableRow } from "./fields.js";
import { setText, template } from "./template.js";

// How often the list is read, in milliseconds.
const READING = 3000;

// How many games a match of this number of players has, by its format.
const GAMES = { "round-robin": (players) => players * (players - 1) / 2, gauntlet: (players) => players - 1,
  swiss: (players) => Math.ceil(Math.log2(players)) * Math.floor(players / 2),
  knockout: (players) => players - 1, pyramid: (players) => players * (players - 1) / 2 };

// What the fields say where nothing of them is ignored.
const OWN_TIME = "Empty: as each player is set.";

// The players to check, by kind, with those that cannot play and why. Returns a function for their ids, in the order in
// which they were chosen.
function playerChecks(players, { players: place, find }, changed) {
  const chosen = new Set(), boxes = new Map();
  function update() {
    for (const [id, { checked }] of boxes)
      if (checked) chosen.add(id);
      else chosen.delete(id);
    changed(players.filter(({ id }) => chosen.has(id)));
  }
  const check = ({ id, name, about }) => {
    boxes.set(id, el("input", { type: "checkbox", value: id, onchange: update }));
    return el("label", { class: "check", "data-name": name }, boxes.get(id),
      el("span", {}, name, el("small", {}, about && ` ${about}`)));
  };
  const group = ([name, all]) => {
    const fit = all.filter(({ isBroken }) => !isBroken), unfit = all.filter(({ isBroken }) => isBroken);
    const set = (checked) => () => {
      for (const { id } of fit)
        if (boxes.get(id).offsetParent) boxes.get(id).checked = checked;
      update();
    };
    const button = (words, checked) =>
      el("button", { type: "button", class: "quiet", onclick: set(checked),
        "aria-label": `${words}: ${name}` }, words);
    return el("fieldset", { class: "plain" },
      el("legend", {}, name, button("All", true), button("None", false)),
      unfit.length > 0
        && el("details", {}, el("summary", {}, `${unfit.length} cannot play`),
          unfit.map(({ name: one, about }) =>
            el("p", { "data-name": one }, el("strong", {}, one), ` ${about}`)
          )), fit.map(check));
  };
  place.append(...byKind(players).reverse().map(group));
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    for (const one of place.querySelectorAll("[data-name]"))
      one.hidden = !one.dataset.name.toLowerCase().includes(wanted);
    for (const one of place.querySelectorAll("details, fieldset")) {
      one.hidden = !one.querySelector("[data-name]:not([hidden])");
      one.open = wanted !== "";
    }
  });
  update();
  return () => [...chosen];
}

/** @param {{ site: Site }} context */
function matchForm({ site }) {
  const { element, parts } = template("matches-page");
  /** @type {KnownPlayer[]} */
  let all = [];
  // Says how much is about to be started.
  function estimate() {
    const { format, games: field, "match-seconds": seconds, concurrency, proto } = parts;
    const isLadder = format.value === "ladder", each = Number(field.value), number = all.length;
    const games = isLadder ? each : number > 1 && GAMES[format.value]?.(number) * each;
    const time = games * site.game.plies * Number(seconds.value) / Math.min(Number(concurrency.value), games);
    setText(parts.count,
      [
        isLadder && !number ? "All submissions" : `${number} ${number === 1 ? "player" : "players"} chosen`,
        games && `${games.toLocaleString("en")} ${games === 1 ? "game" : "games"}`,
        time > 0 && Number.isFinite(time) && `about ${durationText(time)}, or less if moves are fast`,
      ].filter(Boolean).join(", "));
    setText(parts["games-name"], isLadder ? "Games of this run" : "Games of each pairing");
    const own = (/** @type {keyof KnownPlayer} */ key) =>
      all.filter((player) => player[key]).map(({ name }) => name).join(", ");
    const timed = seconds.value && own("hasTime"), speaking = proto.value && own("hasProtocol");
    setText(parts["match-seconds-help"], timed ? `Not for ${timed}, with a time of their own.` : OWN_TIME);
    setText(parts["not-spoken"], speaking && ` Not for ${speaking}.`);
  }
  const players = playerChecks(site.players, parts, (chosen) => {
    all = chosen;
    estimate();
  });
  const tell = (why) => setText(parts.problem, why);
  parts.concurrency.value = Math.max(1, Math.floor(site.cores / 2));
  setText(parts.cores, `This machine has ${site.cores} ${site.cores === 1 ? "core" : "cores"}.`);
  parts.form.addEventListener("input", estimate);
  estimate();
  // A field that is wrong is in sight.
  parts.form.addEventListener("invalid", () => {
    parts.more.open = true;
  }, true);
  parts.form.addEventListener("submit", single(async () => {
    const { format, words, "match-name": name } = parts;
    tell("");
    try {
      const { name: started } = await request("api/matches", {
        kind: format.value === "ladder" ? "ladder" : "match",
        name: name.value.trim(),
        players: players(),
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
    const row = tableRow(el("a", { href: `#/match/${encodeURIComponent(name)}` }, fileName(name)), 4,
      el("td", {}, el("span", { class: "actions" }, button, remove)));
    row.cells[1].className = "words";
    /** @param {ListedMatch} match */
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
  /** @param {{ matches: ListedMatch[] }} answer */
  const show = ({ matches }) => {
    // A free name, unless the user has chosen one.
    const { "match-name": field } = parts;
    for (let number = 2;
      field.value === field.defaultValue && matches.some(({ name }) => name === `${field.value}.jsonl`);
      number += 1) field.value = field.defaultValue = `games-${number}`;
    parts.none.hidden = matches.length > 0;
    parts.listed.hidden = matches.length === 0;
    const rank = ({ state, modified }) => (state === "running" ? Infinity : modified ?? 0);
    list.show(matches.sort((one, other) => rank(other) - rank(one) || 0), ({ name }) => name);
  };
  const reading = poll("api/matches", READING, show);
  return { title: "Matches", close: reading.end, element };
}

export { matchForm };
