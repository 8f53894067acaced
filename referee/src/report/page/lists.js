// Overview parts, lists of games, and the views of players and pairings.
import { coded, el, findRows, playersOf } from "./elements.js";
import { eloChart, figure, resultBar } from "./charts.js";

const link = (href, ...children) => el("a", { href: `#${href}` }, ...children);
/** @param {ReadMatch} match @param {number} number */
const playerLink = (match, number) => link(`${match.prefix}player-${number + 1}`, match.players[number].name);
/** @param {ReadGame} game @param {any} content */
const gameLink = (game, content) => link(`${game.match.prefix}game-${game.id}`, content);
/** @param {ReadGame} game @param {number} seat */
const nameOf = (game, seat) => (game.match.players[game.seats[seat]] || { name: "?" }).name;

// A long table makes only the rows in view. `columns` are [heading, cell of a row, class].
function bigTable(label, columns, rows) {
  const HEIGHT = 34, shown = new Map(), body = el("tbody");
  const table = el("table", { class: "list", "aria-label": label, "aria-rowcount": rows.length + 1 },
    el("thead", {},
      el("tr", { "aria-rowindex": 1 },
        columns.map(([heading, , kind]) => el("th", { scope: "col", class: kind }, heading)))), body);
  const isShort = rows.length <= 100;
  const scroll = el("div", { class: isShort ? "scroll" : "scroll rows", role: "region", "aria-label": label,
    tabindex: 0 }, table);
  // Rows that stay in view are kept, and with them the focus.
  const draw = (all = isShort) => {
    const first = all ? 0 : Math.max(0, Math.floor(scroll.scrollTop / HEIGHT) - 10);
    const last = Math.min(rows.length,
      all ? 500 : first + Math.ceil((scroll.clientHeight || 600) / HEIGHT) + 20);
    for (const [index, row] of shown) {
      if (index >= first && index < last) continue;
      row.remove();
      shown.delete(index);
    }
    for (let index = last - 1, next = null; index >= first; index -= 1) {
      if (!shown.has(index)) {
        shown.set(index, el("tr", { "aria-rowindex": index + 2 }, columns.map(([, cell, kind]) =>
          el("td", { class: kind }, cell(rows[index]))
        )));
        body.insertBefore(shown.get(index), next);
      }
      next = shown.get(index);
    }
    table.style.margin = `${first * HEIGHT}px 0 ${(rows.length - last) * HEIGHT}px`;
  };
  scroll.addEventListener("scroll", () => requestAnimationFrame(() => draw()));
  addEventListener("beforeprint", () => scroll.isConnected && draw(true));
  draw();
  return scroll;
}

// The games, and if `own` is the number of a player, as this player sees them.
/** @param {string} label @param {ReadGame[]} games @param {number} own */
function gameTable(label, games, own = -1) {
  if (!games.length) return el("p", {}, "No games.");
  const seat = (heading,
    at) => [heading, (game) => el(game.winner === at + 1 ? "strong" : "span", {}, nameOf(game, at)), "name"];
  const isLost = ({ winner, seats }) => winner > 0 && seats[2 - winner] === own;
  const result = (game) => {
    const word = game.winner ? isLost(game) ? "lost" : "won" : "drawn";
    return el("span", { class: `result ${word}` }, word);
  };
  const isOwn = ({ seats, turns }, index) => seats[(turns[index] || 1 + (index % 2)) - 1] === own;
  return bigTable(label,
    [
      ["Game", (game) => gameLink(game, game.id), "number"],
      own >= 0 && ["Result", result],
      seat("First", 0),
      seat("Second", 1),
      own < 0 && ["Result", ({ outcome }) => outcome],
      [
        "Reason",
        (game) =>
          el("span", { class: game.isFault && (own < 0 || isLost(game)) && "fault", title: game.detail },
            game.reason),
      ],
      ["Moves", (game) => game.length, "wide number"],
      ["Round", (game) => game.round, "wide number"],
      games.some((game) => game.marks)
      && ["Mistakes", (game) =>
        game.marks?.filter(([index]) =>
          own < 0 || isOwn(game, index)
        ).length, "wide number"],
    ].filter(Boolean), games);
}

function findPlayers() {
  for (const field of document.querySelectorAll(".find"))
    findRows(field, field.nextElementSibling, field.closest("section").querySelector(".standings tbody"));
}

// All games of a match, with filters.
/** @param {ReadMatch} match */
function gamesView(match) {
  const place = el("div"), count = el("p", { role: "status" });
  /** @type {Record<string, (game: ReadGame) => any>} */
  const results = { "all results": () => true, "first player won": ({ winner }) => winner === 1,
    "second player won": ({ winner }) => winner === 2, draw: ({ winner }) => winner === 0,
    "lost by a fault": ({ isFault }) => isFault, "with mistakes": ({ marks }) => marks };
  const filters = el("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
    el("label", {}, "Player or game ", el("input", { type: "search", oninput: update })),
    el("label", {}, "Result ",
      el("select", { onchange: update },
        Object.keys(results).map((name, value) => el("option", { value }, name)))));
  function update() {
    const [wanted, result] = [...filters.elements].map(({ value }) => value),
      fits = Object.values(results)[result];
    const numbers = playersOf(match.players.map(({ name }) => name), wanted);
    const games = match.games.filter((game) =>
      fits(game) && (String(game.id) === wanted.trim() || game.seats.some((one) => numbers.includes(one)))
    );
    count.textContent = `${games.length} of ${match.games.length} games`;
    place.replaceChildren(gameTable("Games", games, wanted && numbers.length === 1 ? numbers[0] : -1));
  }
  update();
  return [heading("Games", match), filters, count, leftOut(match), place];
}

/** @param {ReadMatch} match */
const leftOut = (match) =>
  match.leftOut > 0
  && el("p", { class: "note" },
    `${match.leftOut} games of the result file are not on this page: referee show FILE --game N`);

/** @param {any} title @param {ReadMatch} match */
const heading = (title, match) =>
  el("h2", { tabindex: -1, id: "view-title" }, title,
    !match.single && el("small", {}, ` Match ${match.index + 1}: ${match.title}`));

const list = (pairs) =>
  el("dl", { class: "settings" }, pairs.map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, coded(value)))
  ));

/** @param {ReadMatch} match @param {number} number */
function playerView(match, number) {
  const player = match.players[number], met = match.meetingsOf[number];
  const counts = ({ players, score }) => (players[0] === number ? score : [...score].reverse());
  // The faults of a player are in the overview already.
  const faults = document.querySelectorAll(`#match-${match.index + 1} .fault-group[data-player="${number}"]`);
  return [
    heading(player.name, match),
    list(player.facts),
    met.size > 0 && [
      el("h3", {}, "Opponents"),
      bigTable("Opponents", [["Against", ({ players }) =>
        pairingLink(match, players, match.players[players.find((one) => one !== number)].name), "name"], [
        "Points",
        (meeting) => {
          const [won, drawn, lost] = counts(meeting);
          return `${won + drawn / 2} of ${won + drawn + lost}`;
        },
      ], ["Won, drawn, lost", (meeting) => resultBar(counts(meeting))]], match.order.flatMap((other) =>
        met.get(other) || []
      )),
    ],
    faults.length > 0 && el("h3", {}, "Faults"),
    [...faults].map((group) => group.cloneNode(true)),
    el("h3", {}, "Games"),
    gameTable(`Games of ${player.name}`, match.games.filter((game) => game.seats.includes(number)), number),
  ];
}

const pairingLink = (match, players, content) =>
  link(`${match.prefix}pairing-${Math.min(...players) + 1}-${Math.max(...players) + 1}`, content);

/** @param {ReadMatch} match @param {number} one @param {number} other */
function pairingView(match, one, other) {
  const meeting = match.meetingsOf[one]?.get(other);
  if (!meeting) return [heading("No such pairing", match)];
  const names = meeting.players.map((number) => match.players[number].name);
  return [
    heading(`${names[0]} against ${names[1]}`, match),
    el("p", {}, "Players: ", meeting.players.flatMap((number) => [playerLink(match, number), " "]),
      `– numbers are those of ${names[0]}.`),
    resultBar(meeting.score),
    meeting.facts && list(meeting.facts),
    meeting.line?.length > 1
    && [
      el("h3", {}, "Elo over the games"),
      figure(`Elo of ${names[0]} over ${names[1]} in the order of the schedule; shaded: 95 % interval`,
        eloChart(`Elo of ${names[0]} over the games`, meeting.line, meeting.band || [])),
    ],
    el("h3", {}, "Games"),
    gameTable(`Games of ${names.join(" and ")}`,
      match.games.filter(({ seats }) => seats.includes(one) && seats.includes(other))),
  ];
}

export { findPlayers, link, playerLink, gameLink, nameOf, gamesView, leftOut, heading, playerView, pairingLink, pairingView };
