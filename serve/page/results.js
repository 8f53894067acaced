// The result files of the folder: their pages, and their analysis.
import { el } from "./elements.js";
import { openDialog } from "./dialog.js";
import { poll, request, sentence } from "./api.js";
import { KeyedList, fileName, fillPlayers, numberIn, tableRow } from "./fields.js";
import { setText, template } from "./template.js";

// How often the list is read, in milliseconds.
const READING = 3000;

function sizeText(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

// Asks how to analyse a file; the analysis is a job with a page like that of a match.
/** @param {Site} site @param {string} name */
function analyse(site, name) {
  const { element, parts } = template("analysis-form");
  fillPlayers(parts.analyst, site.players, { chosen: site.defaults.adviser });
  const base = name.replace(/\.jsonl$/, "").replace(/[^\w.-]+/g, "-").replace(/^[^a-z0-9]+/i, "").slice(0,
    40);
  parts["analysis-name"].value = `${base || "games"}-analysis`;
  let job;
  const start = async () => {
    try {
      job = await request("api/matches", { kind: "analysis", name: parts["analysis-name"].value, file: name,
        player: parts.analyst.value, seconds: numberIn(parts["analysis-seconds"]),
        game: numberIn(parts["analysis-game"]) });
    } catch (error) {
      return sentence(error.message);
    }
    return null;
  };
  openDialog(`Analyse ${name}`, element, "Start", start, () => {
    location.hash = `#/match/${encodeURIComponent(job.name)}`;
  });
}

// The columns by which the list can be sorted.
const COLUMNS = { File: "name", Games: "games", Players: "players", Size: "bytes", Changed: "modified" };

/** @param {{ site: Site }} context */
function resultsPage({ site }) {
  const { element, parts } = template("results-page");
  setText(parts.folder, site.results);
  const list = new KeyedList(parts.list, ({ name }) => {
    const path = `results/${encodeURIComponent(name)}`;
    const live = el("a", { href: `#/match/${encodeURIComponent(name)}` }, "live");
    const row = tableRow([el("a", { href: path }, fileName(name)), " ", live], 4,
      el("td", {},
        el("span", { class: "actions" },
          el("button", { type: "button", class: "quiet", "aria-label": `Analyse ${name}`,
            onclick: () => analyse(site, name) }, "Analyse"),
          el("a", { class: "button quiet", href: `${path}/file`, download: "",
            "aria-label": `Download ${name}` }, "Download"))));
    /** @param {ListedFile} file */
    const show = ({ games, players, bytes, modified, isRunning }) => {
      live.hidden = !isRunning;
      row.show([games ?? "…", players ?? "…", sizeText(bytes), new Date(modified).toLocaleString()]);
    };
    return { element: row.element, show };
  });
  /** @type {ListedFile[]} */
  let files = [];
  let key = "modified", sign = -1;
  const heads = Object.entries(COLUMNS).map(([title, field]) =>
    el("th", { scope: "col" }, el("button", { type: "button", onclick: () => {
      sign = field === key ? -sign : field === "name" ? 1 : -1;
      key = field;
      draw();
    } }, title))
  );
  parts.heads.append(...heads, el("th", { scope: "col" }, "Action"));
  function draw() {
    Object.values(COLUMNS).forEach((field, at) =>
      heads[at].setAttribute("aria-sort", field !== key ? "none" : sign < 0 ? "descending" : "ascending")
    );
    const order = (one, other) =>
      key === "name" ? one.name.localeCompare(other.name, "en", { numeric: true }) : one[key] - other[key];
    const wanted = parts.find.value.trim().toLowerCase();
    const shown = files.filter(({ name }) => name.toLowerCase().includes(wanted));
    list.show(shown.sort((one, other) => sign * order(one, other)), ({ name }) => name);
    // A large file is counted while the list is shown.
    const uncounted = files.filter(({ games }) => games === null).map(({ name }) => name);
    setText(parts.counting, uncounted.length ? `Counting the games of ${uncounted.join(", ")} …` : "");
  }
  parts.find.addEventListener("input", draw);
  const reading = poll("api/results", READING, (answer) => {
    ({ files } = answer);
    parts.listed.hidden = files.length === 0;
    parts.none.hidden = files.length > 0;
    draw();
  });
  return { title: "Results", close: reading.end, element };
}

export { resultsPage };
