// Overview parts, lists of games, and the views of players and pairings.

const link = (href, ...children) => el("a", { href: `#${href}` }, ...children);
const playerLink = (match, number) => link(`${match.prefix}player-${number + 1}`, match.players[number].name);
const gameLink = (game, content) => link(`${game.match.prefix}game-${game.id}`, content || `Game ${game.id}`);
const nameOf = (game, seat) => (game.match.players[game.seats[seat]] || { name: "?" }).name;

// A table that makes only the rows in view. `columns` are [heading, cell of a row, class].
function bigTable(label, columns, rows) {
  const HEIGHT = 34;
  const body = el("tbody");
  const table = el("table", { class: "list", "aria-rowcount": rows.length + 1 },
    el("thead", {},
      el("tr", { "aria-rowindex": 1 },
        columns.map(([heading, , kind]) => el("th", { scope: "col", class: kind }, heading)))), body);
  const scroll = el("div", { class: "scroll rows", role: "region", "aria-label": label, tabindex: 0 }, table);
  let shown = "";
  const space = (count) => {
    const cell = el("td", { colspan: columns.length });
    cell.style.height = `${count * HEIGHT}px`;
    return el("tr", { class: "space", "aria-hidden": "true" }, cell);
  };
  const draw = (all) => {
    const first = all ? 0 : Math.max(0, Math.floor(scroll.scrollTop / HEIGHT) - 10);
    const last = Math.min(rows.length,
      all ? 500 : first + Math.ceil((scroll.clientHeight || 600) / HEIGHT) + 20);
    if (shown === `${first}-${last}`) return;
    shown = `${first}-${last}`;
    body.replaceChildren(...(first ? [space(first)] : []),
      ...rows.slice(first, last).map((row, at) =>
        el("tr", { "aria-rowindex": first + at + 2 }, columns.map(([, cell, kind]) =>
          el("td", { class: kind }, cell(row))
        ))
      ), ...(last < rows.length ? [space(rows.length - last)] : []));
  };
  scroll.addEventListener("scroll", () => requestAnimationFrame(() => draw()));
  addEventListener("beforeprint", () => scroll.isConnected && draw(true));
  draw();
  return scroll;
}

function gameTable(label, games) {
  if (!games.length) return el("p", {}, "No games.");
  const word = (game,
    seat) => [game.winner === seat + 1 ? el("strong", {}, nameOf(game, seat)) : nameOf(game, seat)];
  return bigTable(label, [
    ["Game", (game) => gameLink(game, String(game.id))],
    ["First player", (game) => word(game, 0), "name"],
    ["Second player", (game) =>
      word(game, 1), "name"],
    ["Result", (game) => RESULTS[game.result]],
    ["Reason", (game) => (isFault(game) ? el("strong", { class: "fault" }, game.reason) : game.reason)],
    ["Moves", (game) => String(game.length), "wide"],
    ["Round", (game) => String(game.round), "wide"],
    ["Mistakes", (game) => String(game.marks?.length || ""), "wide"],
  ], games);
}

// All games of a match, with filters.
function gamesView(match) {
  const place = el("div");
  const count = el("p", { role: "status" });
  const choice = (label, options,
    id) => [
    el("label", { for: id }, label),
    el("select", { id, onchange: update }, options.map(([value, name]) => el("option", { value }, name))),
  ];
  const filters = el("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
    choice("Player", [["", "all players"], ...match.players.map((player, number) => [number, player.name])],
      "filter-player"),
    choice("Result", [
      ["", "all results"],
      ["1", "first player won"],
      ["2", "second player won"],
      ["0", "draw"],
      ["fault", "lost by a fault"],
      ["marks", "with mistakes"],
    ], "filter-result"));
  function update() {
    const [player, result] = [...filters.querySelectorAll("select")].map((select) => select.value);
    const games = match.games.filter((game) =>
      (player === "" || game.seats.includes(Number(player)))
      && (result === ""
        || (result === "fault" ? isFault(game)
          : result === "marks" ? game.marks : game.winner === Number(result)))
    );
    count.textContent = `${games.length} of ${match.games.length} games`;
    place.replaceChildren(gameTable("Games", games));
  }
  update();
  return [heading("Games", match), filters, count, leftOut(match), place];
}

const leftOut = (match) =>
  match.leftOut > 0
  && el("p", { class: "note" },
    `${match.leftOut} games of the result file are not on this page: referee show FILE --game N`);

const heading = (title, match) =>
  el("h2", { tabindex: -1, id: "view-title" }, title,
    match.single ? null : el("small", {}, ` ${match.title}`));

const list = (pairs) =>
  el("dl", { class: "settings" }, pairs.map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value))
  ));

function playerView(match, number) {
  const player = match.players[number];
  const met = match.meetingsOf[number], meetings = match.order.flatMap((other) => met.get(other) || []);
  const row = ({ players, score }) => {
    const own = players[0] === number ? score : [...score].reverse();
    return el("tr", {},
      el("th", { scope: "row" },
        pairingLink(match, players, match.players[players[players[0] === number ? 1 : 0]].name)),
      el("td", {}, `${own[0] + own[1] / 2} of ${own[0] + own[1] + own[2]}`), el("td", {}, resultBar(own)));
  };
  return [
    heading(player.name, match),
    list(player.facts),
    el("h3", {}, "Opponents"),
    el("div", { class: "scroll", role: "region", "aria-label": "Opponents", tabindex: 0 },
      el("table", {},
        el("thead", {},
          el("tr", {},
            ["Opponent", "Points", "Won, drawn, lost"].map((word) => el("th", { scope: "col" }, word)))),
        el("tbody", {}, meetings.map(row)))),
    faultsOf(match, number),
    el("h3", {}, "Games"),
    gameTable(`Games of ${player.name}`, match.games.filter((game) => game.seats.includes(number))),
  ];
}

// The faults of a player are in the overview already.
function faultsOf(match, number) {
  const groups = document.querySelectorAll(`#match-${match.index + 1} .fault-group[data-player="${number}"]`);
  return groups.length > 0 && [
    el("h3", {}, "Faults"),
    [...groups].map((group) => {
      const copied = group.cloneNode(true);
      copied.querySelectorAll("[id]").forEach((one) => one.removeAttribute("id"));
      return copied;
    }),
  ];
}

const pairingLink = (match, players, content) =>
  link(`${match.prefix}pairing-${Math.min(...players) + 1}-${Math.max(...players) + 1}`, content);

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
