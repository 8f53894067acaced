// A match in progress. The page follows it: it loads itself again, since a page of a file may
// read no other file. The reader's place is kept.

const LIVE = DATA.live, [LIVE_MATCH] = MATCHES, { running } = LIVE_MATCH;
const due = performance.now() * 11 + (LIVE.every || 0);
let active = -9e9, lastHash = location.hash;

// A board of the view for projectors.
function liveBoard(game) {
  const { rules, moves, positions } = replay(game), total = moves.length, last = moves[total - 1], position = positions[total];
  const seat = (number) => {
    const { score, time, clock } = moves.filter((move) => move.mover === number && !move.opening).pop() || {};
    const facts = [score && scoreText(score), time !== undefined && timeText(time), clock && `clock ${timeText(clock)}`];
    return el("p", { class: "seat" }, pieceIcon(rules, number + 1),
      el("strong", {}, nameOf(game, number)), position.side === number + 1 && el("span", { class: "to-move" }, "to move"), facts.filter(Boolean).join(" · "));
  };
  return el("article", {}, el("h3", {}, gameLink(game), last && `, move ${total}: ${last.text}`), seat(1),
    boardOf(rules, position, last, [], `Board of game ${game.id}`), seat(0));
}

// The table and the boards of the running games, for a projector.
function liveView() {
  const standings = document.querySelector(".standings").cloneNode(true), count = running.length;
  return [heading("Live", LIVE_MATCH), el("div", { class: "live-columns" },
    el("div", { class: "scroll", role: "region", "aria-label": "Standings", tabindex: 0 }, standings),
    el("div", { class: `live-boards rows-${count < 3 ? 1 : count < 7 ? 2 : 3}` }, count ? running.map(liveBoard) : LIVE.over ? "The match is over." : "No game is running."))];
}

extraViews.push((hash) => {
  const game = running.find(({ id }) => hash === `game-${id}`);
  return hash === "live" ? { title: "Live", make: liveView } : game && { title: `Game ${game.id}`, game, plies: game.length };
});

// What a reader has set: for each selector, how to read it and how to set it.
const PLACE = [
  ["select", (one) => one.value, (one, value) => { one.value = value; one.dispatchEvent(new Event("change")); }],
  ["details", (one) => one.open, (one, value) => { one.open = value; }],
  [".rows", (one) => one.scrollTop, (one, value) => { one.scrollTop = value; }],
  ["html", () => scrollY, (_, value) => scrollTo(0, value)],
  ["a, button, input, select, summary, [tabindex]", (one) => one === document.activeElement, (one, value) => value && one.focus({ preventScroll: true })],
];
const all = (selector) => [...document.querySelectorAll(selector)];

document.getElementById("views").append(link("live", "Live"));
history.scrollRestoration = "manual";
show(true);
const [hash, follows, places] = JSON.parse(sessionStorage.live || "[]");
delete sessionStorage.live;
if (hash === location.hash) {
  if (follows && viewer) viewer.go(viewer.game.length);
  PLACE.forEach(([selector, , set], at) => all(selector).forEach((one, index) => index in places[at] && set(one, places[at][index])));
}
if (!LIVE.over) {
  document.querySelector("header").append(el("p", { class: "live-state" }, `In progress: ${LIVE_MATCH.games.length} finished, ${running.length} running; written at ${new Date(LIVE.written).toLocaleTimeString()}`,
    Date.now() - LIVE.written > 60000 + 10 * LIVE.every && ". No news since then: the match may have stopped."));
  for (const kind of ["keydown", "pointerdown", "wheel", "touchmove"]) addEventListener(kind, () => { active = performance.now(); }, { passive: true });
  const timer = setInterval(() => {
    const now = performance.now();
    if (location.hash !== lastHash) active = now;
    lastHash = location.hash;
    if (now < due || now - active < 5000 || document.hidden || String(getSelection())) return;
    clearInterval(timer);
    sessionStorage.live = JSON.stringify([location.hash, viewer && location.hash.endsWith(`-move-${viewer.game.length}`), PLACE.map(([selector, get]) => all(selector).map(get))]);
    location.reload();
  }, 500);
}
