// The server: requests, and messages about boards and matches. All addresses are relative: the pages stand below a
// path that is another one for each server.

const LOST = "The server does not answer. Is `referee serve` still running?",
  TRYING = `${LOST} Trying again.`;

// How long the server may take for an answer, in milliseconds; longer where it may have to start or end programs.
const READING_TIME = 6000, ACTING_TIME = 30_000;

// The waits before the attempts to connect again, in milliseconds.
const FIRST_WAIT = 250, LONGEST_WAIT = 5000;

// A connection on which nothing has come for this long is lost, in milliseconds: the server sends a sign of life every
// two seconds (`serve/src/live.rs`). And how often the page looks.
const SILENCE = 7000, LOOKING = 1000;

// How long messages may take that wait for a page that has slept, in milliseconds.
const GRACE = 4000;

// The events after which a connection may be dead.
const WAKING = ["visibilitychange", "pageshow", "online"];

const sentence = (words) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

// Asks the server; with `body` it asks to do something. Throws an error with a sentence for people. A connection that
// is dead, but not closed, would never answer.
async function request(path, body, milliseconds = body === undefined ? READING_TIME : ACTING_TIME) {
  /** @type {RequestInit} */
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    referrerPolicy: "same-origin" };
  let answer;
  try {
    answer = await fetch(path, { ...(body !== undefined && post),
      signal: AbortSignal.timeout(milliseconds) });
  } catch {
    throw new Error(LOST);
  }
  const content = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(content?.error || `the server answers with status ${answer.status}`);
  if (!content) throw new Error("the server's answer cannot be read; try again");
  return content;
}

function showConnection(words) {
  const place = document.getElementById("connection");
  if (place.textContent !== words) place.textContent = words;
}

// Opens a board, and returns its number.
const openBoard = async (body) => (await request("api/boards", body)).id;

// A function for a button. While `act` runs, it does nothing, nor after `act` returned true, because the page
// changes then. The second click of a double click does nothing unless it `isRepeatable`: the first one may have
// changed what the button means.
function single(act, isRepeatable = false) {
  let isRunning = false;
  return async (...words) => {
    const [event] = words, isEvent = event instanceof Event;
    if (isEvent) event.preventDefault();
    if (isRunning || (isEvent && event.detail > 1 && !isRepeatable)) return;
    isRunning = true;
    document.body.classList.add("asking");
    try {
      isRunning = (await act(...words)) === true;
    } catch (error) {
      isRunning = false;
      throw error;
    } finally {
      document.body.classList.remove("asking");
    }
  };
}

// Shows what the server answers, again and again, while the page is visible. `read` does it now, `end` ends it.
function poll(path, milliseconds, show) {
  const ended = new AbortController(), { signal } = ended;
  let isReading = false, isWanted = false;
  // An answer on its way is of before: the next question waits for it, so that none comes after a newer one.
  async function read() {
    isWanted = !document.hidden;
    if (isReading) return;
    isReading = true;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      let words = "";
      try {
        const answer = await request(path);
        if (!signal.aborted) show(answer);
      } catch (error) {
        words = sentence(error.message);
      }
      if (!signal.aborted) showConnection(words);
    }
    isReading = false;
  }
  const timer = setInterval(read, milliseconds);
  document.addEventListener("visibilitychange", read, { signal });
  const end = () => {
    ended.abort();
    clearInterval(timer);
    showConnection("");
  };
  read();
  return { read, end };
}

// The lists of a game, which grow by each move.
const GROWING = ["moves", "turns", "ms", "scores", "grids"];

// The state of a board after a change: all beside the game, and what was added to the game.
/** @param {BoardState} state @returns {BoardState} */
function changed(state, { added = {}, ...fields }) {
  const { game } = state, longer = { ...game, ...added };
  for (const name of GROWING) if (name in added) longer[name] = game[name].concat(added[name]);
  return { ...state, game: longer, ...fields };
}

// The messages of the server about one thing. It connects again after the connection was lost, closed or not.
class Live {
  #path;
  #message;
  #socket = null;
  #end = new AbortController();
  #wait = FIRST_WAIT;
  #timer = 0;
  #looking = 0;
  // When something came last, and when the page looked last.
  #heard = 0;
  #looked = 0;
  // What the page says while the connection is lost.
  #words = TRYING;
  // Why the last message cannot be shown.
  #problem = "";

  // `message` gets each message; where the thing has gone, that is `{ kind: "closed" }`.
  constructor(path, message) {
    this.#path = path;
    this.#message = message;
    this.#connect();
    this.#looking = setInterval(() => this.#look(), LOOKING);
    for (const name of WAKING) addEventListener(name, () => this.#look(true), { signal: this.#end.signal });
  }

  #connect() {
    const address = new URL(this.#path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.hash = "";
    const socket = this.#socket = new WebSocket(address);
    this.#looked = this.#heard = performance.now();
    socket.onmessage = ({ data }) => {
      this.#wait = FIRST_WAIT;
      this.#heard = performance.now();
      this.#words = TRYING;
      // Others are signs of life.
      if (typeof data === "string") this.#problem = this.#show(data);
      showConnection(this.#problem);
    };
    socket.onclose = () => this.#lost();
  }

  // Shows a message. Returns why it cannot be shown, if so: the page may be as it was by half.
  #show(data) {
    try {
      this.#message(JSON.parse(data));
      return "";
    } catch (error) {
      console.error(error);
      return `This page cannot show what the server sent. Load it again: ${error.message}`;
    }
  }

  // A page that has slept gives messages that are on their way a little time.
  #look(isAwake = false) {
    const now = performance.now(), hasSlept = isAwake || now - this.#looked > 2 * LOOKING;
    this.#looked = now;
    if (hasSlept) this.#heard = now - SILENCE + GRACE;
    if (this.#socket && now - this.#heard >= SILENCE) this.#lost();
  }

  // Gives the socket up, and connects again after a while.
  #lost() {
    this.#drop();
    showConnection(this.#words);
    this.#explain(this.#heard);
    this.#timer = setTimeout(() => this.#connect(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }

  // Asks the server why there is no connection, since a web socket does not say it: a server that was started again has
  // another key.
  async #explain(heard) {
    const words = await request("api/site").then(() => LOST, (error) => error.message);
    if (this.#end.signal.aborted || this.#heard !== heard) return;
    this.#words = words === LOST ? TRYING : sentence(words);
    showConnection(this.#words);
  }

  #drop() {
    if (!this.#socket) return;
    this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = null;
  }

  close() {
    this.#end.abort();
    this.#drop();
    clearInterval(this.#looking);
    clearTimeout(this.#timer);
    showConnection("");
  }
}

export { changed, request, sentence, openBoard, single, poll, Live };
