// One game, step by step.
import { change, coded, el, svg, text } from "./elements.js";
import { expected, scoreText } from "./scores.js";
import { boardTable, drawBoard, pieceIcon, signOf, withSigns } from "./board.js";
import { icon, stepsOf } from "./steps.js";
import { replay, timeText } from "./data.js";
import { WIDTH, chart, clamp, figure, line } from "./charts.js";
import { gameLink, heading, link, nameOf, pairingLink, playerLink } from "./lists.js";

// How a game ended. What the rules say has the signs of the board, if it shows them.
function endText({ game, positions }) {
  const { cells = [] } = positions.at(-1), why = game.detail || game.reason;
  const isOfRules = game.isOver || (game.reason === "rules" && cells.some((cell) => /^[xo]$/.test(cell)));
  return [
    `${game.winner ? `${nameOf(game, game.winner - 1)} wins` : "Draw"}: `,
    isOfRules ? withSigns(game.match.game, why) : coded(why),
    ` (${game.outcome}, ${game.reason})`,
  ];
}

const isBlunder = ({ kind }) => kind === "blunder";
const signOfMark = (mark) => (isBlunder(mark) ? "??" : "?");

// Why a move is a mistake: the score before it and after it, as its judge saw them.
function markText({ game, moves }, { index, mover, mark, before, after }) {
  const kind = isBlunder(mark) ? "Blunder" : "Mistake", other = Number(mark.judge === "opponent");
  if (mark.judge === "analysis") return `${kind}: ${scoreText(before)} became ${scoreText(after)}`;
  const said = (at, none) => (moves[at]?.score ? scoreText(moves[at].score) : none);
  const scores = `${said(index - other, "none")} to ${said(index + 2 - other, "the result")}`;
  return `${kind}: the score of ${nameOf(game, other ? 1 - mover : mover)} changed from ${scores}`;
}

// The scores of both players as expected points of the first player, and the times.
function scoreCurve({ game, moves, positions }, go) {
  const lines = [0, 1].map((seat) => moves.filter((move) => move.mover === seat && move.score));
  const analysed = moves.filter((move) => move.after),
    timed = moves.filter((move) => move.time !== undefined);
  const hasScores = [...lines, analysed].some((list) => list.length > 0);
  if (!hasScores && !timed.length) return { show() {} };
  const left = 48, wide = 580, bottom = hasScores ? 132 : 4, height = bottom + 58, bars = 36;
  const count = Math.max(moves.length, 1), [first, second] = [0, 1].map((seat) => nameOf(game, seat));
  const x = (plies) => left + (plies / count) * wide, y = (value) => 8 + (1 - value) * (bottom - 16);
  // The second player's score is turned round, so that the curve is the first player's view.
  /** @returns {[number, number]} */
  const place = ({ index, mover }, score) => [x(index + 1), y(Math.abs(mover - expected(score)))];
  // A line, and what is between it and the middle: above in the first player's colour, below in the second's.
  const path = (list, number, what) => {
    if (!list.length) return [];
    const d = list.map((move) => place(move, move[what]).map((one) => one.toFixed(1)).join(" ")).join("L");
    const [from, to] = [list[0], list.at(-1)].map(({ index }) => x(index + 1));
    const area = `M${from} ${y(0.5)}L${d}L${to} ${y(0.5)}Z`, isFilled = number === 2 || !analysed.length;
    return [
      isFilled && [0, 1].map((side) =>
        svg("svg", { x: 0, width: WIDTH, y: side ? y(0.5) : 0, height: y(0.5),
          viewBox: `0 ${side ? y(0.5) : 0} ${WIDTH} ${y(0.5)}` },
          svg("path", { class: `area side-${side}`, d: area }))
      ),
      svg("path", { class: `line line-${number}`, d: `M${d}` }),
    ];
  };
  const dot = (move, score) => {
    const [across, down] = place(move, score), isLow = down > 24;
    return [
      svg("rect", { x: across - 4, y: down - 4, width: 8, height: 8, rx: 4 * move.mover,
        class: `dot line-${move.mover}` }),
      move.mark && text(across, down + (isLow ? -7 : 17), signOfMark(move.mark), "middle", { class: "mark" }),
    ];
  };
  const longest = Math.max(...timed.map((move) => move.time), 0.001);
  const cursor = line(0, 4, 0, height - 16, "cursor");
  const title = hasScores ? `Scores after each move, from the view of ${first}, and the time of each move`
    : "The time of each move";
  const curve = chart(height, title,
    game.opening > 0
      && [
        svg("rect", { x: left, y: 4, width: x(game.opening) - left, height: bottom - 4, class: "opening" }),
        text(left + 3, bottom + (hasScores ? -5 : 20), "opening"),
      ],
    hasScores
      && ["loss", "even", "win"].map((name,
        at) => [
        line(left, y(at / 2), left + wide, y(at / 2), at === 1 ? "axis" : "grid"),
        text(left - 6, y(at / 2) + 4, name, "end"),
      ]),
    lines.map((list,
      seat) => [
      path(list, seat, "score"),
      list.filter((move) => (move.mark && !move.after) || list.length < 4).map((move) =>
        dot(move, move.score)
      ),
    ]), path(analysed, 2, "after"), analysed.filter(({ mark }) => mark).map((move) => dot(move, move.after)),
    timed.map(({ index, mover, time }) =>
      svg("rect", { x: x(index + 1) - 2, width: 4, class: `time side-${mover}`,
        y: bottom + 4 + bars * (1 - time / longest), height: Math.max(1, bars * time / longest) })
    ), text(left - 6, bottom + bars, "time", "end"), text(left, height - 4, `longest ${timeText(longest)}`),
    cursor);
  curve.classList.add("curve");
  const pick = (event) => {
    const box = curve.getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width * WIDTH - left) / wide * count));
  };
  curve.addEventListener("pointerdown", pick);
  curve.addEventListener("pointermove", (event) => event.buttons && pick(event));
  const show = (plies) => ["x1", "x2"].forEach((end) => cursor.setAttribute(end, x(plies)));
  const names = [`${first} (solid)`, `${second} (dashed)`, `analysis by ${game.analysis?.engine}`];
  const keys = [...lines, analysed].flatMap((list, number) =>
    list.length ? [", ", el("span", { class: `key line-${number}` }, names[number])] : []
  );
  return { show,
    element: figure(
      hasScores
        ? [
          "Scores: ",
          keys.slice(1),
          ". Up is good for ",
          positions[0].cells && [signOf(game.match.game, 1), " "],
          first,
          ". Below: the time of each move.",
        ] : title,
      curve,
    ) };
}

// A text for the clipboard; where the browser refuses, it is shown.
async function copy(content, what, place) {
  const done = await navigator.clipboard?.writeText(content).then(() => true, () => false);
  place.replaceChildren(el("p", { role: "status" }, done ? `Copied ${what}:` : `Copy ${what} from here:`),
    el("pre", { tabindex: 0 }, content));
}

// The moves up to a position.
const movesTo = (moves, plies) => moves.slice(0, plies).map((move) => move.text).join(" ");

// The command `position` of engines.
/** @param {ReadGame} game @param {Move[]} moves @param {number} plies */
const positionText = (game, moves, plies) =>
  `position fen ${game.start}${plies ? ` moves ${movesTo(moves, plies)}` : ""}`;

// The commands that continue a position by hand, as the side to move.
/** @param {ReadGame} game @param {Move[]} moves @param {number} plies @param {number} side */
function continueCommand(game, moves, plies, side) {
  const name = `${game.match.prefix}game-${game.id}-move-${plies}.txt`;
  const lines = [
    `variant: ${game.match.variant}`,
    ...(side === 1 ? ["first: human", "second: hard"] : ["first: hard", "second: human"]),
    `start: ${game.start}`,
    `moves: ${movesTo(moves, plies)}`,
  ];
  return `printf '%s\\n' ${lines.map((one) => `'${one}'`).join(" ")} > ${name}\nreferee\nload ${name}`;
}

// What other scripts do with each view of a game, and the newest view.
const additions = [];
let newest = null;

// Does something with each view of a game, also with the one that is there.
function onGame(act) {
  additions.push(act);
  if (newest) act(newest);
}

// The view of a game: its element, and what the page needs to step through it. The element has events `step`, when a
// position is drawn, and `stop`, when it is left.
/** @param {ReadGame} game @param {number} start */
function gameView(game, start) {
  const played = replay(game), { moves, positions } = played, { match } = game,
    { pieces, isOther } = match.game, total = moves.length;
  const id = `${match.prefix}game-${game.id}`;
  let plies = -1, timer = null;
  const boardPlace = el("div", { class: "board-place" });
  const facts = el("div", { class: "facts", id: "facts" });
  const bars = [0, 1].map(() => el("p", { class: "seat" }));
  const copied = el("div", { class: "copied" });
  const slider = el("input", { type: "range", min: 0, max: total, id: "slider", "aria-label": "Move",
    oninput: () => go(Number(slider.value)) });
  const button = (label, key, onclick, extra) =>
    el("button", { type: "button", title: key, onclick, ...extra }, label);
  const steps = stepsOf((to) => go(to), (by) => go(plies + by));
  const [toStart, back, on, toEnd] = Object.values(steps.buttons);
  const playButton = button("", "Space", () => toggle());
  const items = moves.map(({ index, written, opening, mark }) =>
    el("a", { href: `#${id}-move-${index + 1}`, tabindex: -1, class: opening && "of-opening" },
      el("span", { class: "number" }, `${index + 1}.`), ` ${written}`,
      mark !== undefined && el("span", { class: "mark", title: mark.kind }, signOfMark(mark)))
  );
  const movePlace = el("ol", { class: "moves", "aria-label": "Moves" },
    items.map((item) => el("li", {}, item)));
  const curve = scoreCurve(played, go);
  // Its last lines are in sight.
  const transcript = el("div", { class: "transcript" });
  function transcribe(words) {
    const pre = el("pre", { tabindex: 0 }, words);
    transcript.replaceChildren(el("p", { class: "help" }, "Transcript, with its last lines:"), pre);
    requestAnimationFrame(() => {
      pre.scrollTop = pre.scrollHeight;
    });
  }
  const known = document.querySelector(`pre[data-game="${id}"]`);
  if (known) transcribe(known.textContent);
  const marked = moves.filter((move) => move.mark !== undefined);
  const neighbour = (by, label) => {
    const other = match.games[match.games.indexOf(game) + by];
    return other ? gameLink(other, label) : label;
  };

  function toMistake() {
    const next = marked.find((move) => move.index >= plies) || marked[0];
    if (next) go(next.index + 1);
  }
  function toggle(plays = timer === null) {
    clearInterval(timer);
    if (plays && plies >= total) go(0);
    // A screen reader would not keep up.
    facts.setAttribute("aria-live", plays ? "off" : "polite");
    timer = plays
      ? setInterval(() => (boardPlace.isConnected && plies < total ? go(plies + 1, true) : toggle(false)),
        700) : null;
    playButton.replaceChildren(icon(plays ? "M7 4v16M17 4v16" : "M7 4l11 8-11 8z"), plays ? "Pause" : "Play");
  }
  function seatText(seat) {
    const own = moves.slice(0, plies).filter((move) => move.mover === seat && !move.opening);
    const used = own.reduce((sum, move) => sum + (move.time || 0), 0),
      scored = own.filter((move) => move.score).pop();
    const clock = own.length ? own.at(-1).clock : played.clocks[seat];
    const parts = [
      !isOther && pieces[seat],
      positions[plies].side === seat + 1 && plies < total && "to move",
      scored && `score ${scoreText(scored.score)}`,
      used && `${timeText(used)} in all`,
      clock && `clock ${timeText(clock)}`,
    ];
    return [
      positions[plies].cells && pieceIcon(match.game, seat + 1),
      el("strong", {}, playerLink(match, game.seats[seat])),
      el("span", { class: "numbers" }, parts.filter(Boolean).join(" · ")),
    ];
  }
  function factLines() {
    const move = moves[plies - 1], lines = [];
    if (move) {
      const details = [
        move.time !== undefined && timeText(move.time),
        move.score && `score ${scoreText(move.score)}`,
        ...move.facts,
      ];
      const best = move.best || "";
      lines.push([
        `Move ${plies} of ${total}: `,
        positions[plies].cells && signOf(match.game, move.mover + 1),
        move.opening ? ` the opening plays ${move.written} for ${nameOf(game, move.mover)}`
          : ` ${nameOf(game, move.mover)} plays ${move.written}`,
      ], move.fault ? `A random move: ${move.fault}` : details.filter(Boolean).join(", "), ...move.lines,
        move.before
          && (best.split(" ")[0] === move.text || !move.after
            ? `Analysis: the best move, ${scoreText(move.before)}`
            : `Analysis: ${scoreText(move.after)}; best was ${best}, ${scoreText(move.before)}`),
        move.mark !== undefined && markText(played, move));
    } else lines.push(`Start of a game of ${total} ${total === 1 ? "move" : "moves"}`);
    if (plies === total) lines.push(endText(played), game.points && `Points: ${game.points}`);
    return lines.filter(Boolean);
  }
  function draw() {
    const position = positions[plies];
    boardPlace.replaceChildren(drawBoard(match.game, position),
      boardTable(match.game, position, `Board after move ${plies} of ${total}`));
    facts.replaceChildren(...factLines().map((one) => el("p", {}, one)));
    bars.forEach((bar, seat) => bar.replaceChildren(...seatText(seat)));
    const item = items[plies - 1];
    if (item) movePlace.scrollTop = item.offsetTop - movePlace.clientHeight / 2;
    element.dispatchEvent(new Event("step"));
  }
  function go(to, isPlaying) {
    const next = clamp(to || 0, 0, total);
    if (!isPlaying && timer !== null) toggle(false);
    if (next === plies) return;
    plies = next;
    items.forEach((item, index) => {
      const isCurrent = index === plies - 1;
      change(item, { tabindex: isCurrent ? 0 : -1, "aria-current": isCurrent && "step" });
    });
    slider.value = plies;
    slider.setAttribute("aria-valuetext", `move ${plies} of ${total}`);
    curve.show(plies);
    draw();
  }
  let touched = 0;
  boardPlace.addEventListener("touchstart", (event) => {
    touched = event.changedTouches[0].clientX;
  }, { passive: true });
  boardPlace.addEventListener("touchend", (event) => {
    const moved = event.changedTouches[0].clientX - touched;
    if (Math.abs(moved) > 30) go(plies - Math.sign(moved));
  });
  const keys = { ...steps.keys, " ": () => toggle(), ShiftArrowRight: toMistake };
  const copyButton = (label, what, content) =>
    button(label, null, () => copy(content(), what, copied), { class: "quiet" });
  const tools = el("div", { class: "buttons", role: "group", "aria-label": "Tools" },
    marked.length > 0 && button("Next mistake", "Shift →", toMistake),
    copyButton("Copy position", "the position", () => positionText(game, moves, plies)),
    copyButton("Copy moves", "the moves", () => movesTo(moves, plies)),
    !isOther
      && copyButton("Play on from here", "the commands that continue this position by hand", () =>
        continueCommand(game, moves, plies, positions[plies].side)));
  const element = el("article", { class: "viewer" },
    el("div", { class: "viewer-head" },
      heading(`Game ${game.id}: ${nameOf(game, 0)} against ${nameOf(game, 1)}`, match),
      el("p", {}, neighbour(-1, "Previous game"), " · ", neighbour(1, "Next game"), " · ",
        link(`${match.prefix}games`, "All games"), " · ", pairingLink(match, game.seats, "Pairing")),
      el("p", { class: "end" }, endText(played), `. Round ${game.round}, pair ${game.pair}.`),
      game.error
        && el("p", { class: "note" }, coded(`The moves of this record cannot be replayed: ${game.error}`))),
    el("div", { class: "layout" },
      el("div", { class: "board-side" }, bars[1], boardPlace, bars[0],
        el("div", { class: "controls", role: "group", "aria-label": "Steps" }, toStart, back, playButton, on,
          toEnd), slider),
      el("div", { class: "text-side" }, facts, transcript, movePlace, curve.element, tools, copied,
        el("p", { class: "help" }, "Keys: ← → Home End, Space plays, Shift → next mistake"))));
  toggle(false);
  go(start);
  newest = { element, tools, transcribe: !known && transcribe, game, moves, positions, go, keys, draw,
    get plies() {
      return plies;
    }, get hash() {
    return `${id}-move-${plies}`;
  }, stop() {
    toggle(false);
    element.dispatchEvent(new Event("stop"));
  } };
  additions.forEach((act) => act(newest));
  return newest;
}

export { onGame, gameView, positionText };
