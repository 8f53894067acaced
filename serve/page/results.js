// The result files of the folder: their pages, and their analysis.
import { el } from "./elements.js";
import { openDialog } from "./dialog.js";
import { poll, request, sentence } from "./api.js";
import { KeyedList, field, numberField, playerSelect, setText, table } from "./fields.js";

// How often the list is read, in milliseconds.
const READING = 3000;

const sizeText = (
  bytes,
) => (bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

// Asks how to analyse a file; the analysis is a job with a page like that of a match.
function analyse(site, name) {
  const player = playerSelect(site.players, { id: "analyst", chosen: site.defaults.adviser });
  const seconds = numberField("Seconds per position", "analysis-seconds", 1, { min: 0.001, max: 86400,
    step: "any", required: true });
  const game = numberField("Number of the game", "analysis-game", "", { min: 1 }, "Empty: all games.");
  let job;
  openDialog(`Analyse ${name}`, [field("Analysis by", "analyst", player), seconds.element, game.element],
    "Start", async () => {
    try {
      job = await request(`api/results/${encodeURIComponent(name)}`, { do: "analyse", player: player.value,
        seconds: seconds.read(), game: game.read() });
    } catch (error) {
      return sentence(error.message);
    }
    return null;
  }, () => {
    location.hash = `#/match/${encodeURIComponent(job.name)}`;
  });
}

function resultsPage({ site }) {
  const empty = el("p");
  const list = new KeyedList(el("tbody"), ({ name }) => {
    const path = `results/${encodeURIComponent(name)}`, cells = Array.from({ length: 4 }, () => el("td"));
    const live = el("a", { href: `#/match/${encodeURIComponent(name)}` }, "live");
    return {
      element: el("tr", {}, el("th", { scope: "row" }, el("a", { href: path }, name), " ", live), cells,
        el("td", {},
          el("span", { class: "actions" },
            el("button", { type: "button", "aria-label": `Analyse ${name}`, onclick: () =>
              analyse(site, name) }, "Analyse"),
            el("a", { class: "button", href: `${path}/file`, download: "", "aria-label": `Download ${name}` },
              "Download")))),
      show({ games, players, bytes, modified, isRunning }) {
        live.hidden = !isRunning;
        [String(games), String(players), sizeText(bytes), new Date(modified).toLocaleString()].forEach((words,
          at) => setText(cells[at], words)
        );
      },
    };
  });
  const listed = table("Result files", ["File", "Games", "Players", "Size", "Changed", "Action"],
    list.element);
  const reading = poll("api/results", READING, ({ files }) => {
    listed.hidden = files.length === 0;
    setText(empty, files.length ? "" : "The folder has no result files yet. A match writes one.");
    list.show(files, ({ name }) => name);
  });
  return { title: "Results", close: reading.end,
    element: [
      el("h2", { tabindex: -1 }, "Results"),
      el("p", {}, "Files in ", el("code", {}, site.results),
        ". The name of a file opens its page, with all games to step through."),
      empty,
      listed,
    ] };
}

export { resultsPage };
