// The server: requests, and messages about boards and matches. All addresses are relative: the pages stand below a
// path that is another one for each server.

const LOST = "The server does not answer. Is `referee serve` still running?";

// The waits before the attempts to connect again, in milliseconds.
const FIRST_WAIT = 250, LONGEST_WAIT = 5000;

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

// Asks the server; with `body` it asks to do something. Throws an error with a sentence for people.
async function request(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), referrerPolicy: "same-origin" };
  let answer;
  try {
    answer = await fetch(path, body === undefined ? {} : post);
  } catch {
    throw new Error(LOST);
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(content.error || `the server answers with status ${answer.status}`);
  return content;
}

function showConnection(words) {
  const place = document.getElementById("connection");
  if (place.textContent !== words) place.textContent = words;
}

// The messages of the server about one thing. It connects again after the connection was lost.
class Live {
  #path;
  #message;
  #isThere;
  #socket = null;
  #wait = FIRST_WAIT;
  #timer = 0;

  // `message` gets each message. `isThere` says whether the thing still exists: where it has gone,
  // `message` gets `{ kind: "closed" }`.
  constructor(path, message, isThere) {
    this.#path = path;
    this.#message = message;
    this.#isThere = isThere;
    this.#connect();
  }

  #connect() {
    const address = new URL(this.#path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.hash = "";
    const socket = this.#socket = new WebSocket(address);
    socket.onmessage = ({ data }) => {
      this.#wait = FIRST_WAIT;
      showConnection("");
      this.#message(JSON.parse(data));
    };
    socket.onclose = () => this.#lost(socket);
  }

  async #lost(socket) {
    let words = "The connection to the server is lost; trying again.";
    try {
      if (!(await this.#isThere())) {
        if (this.#socket === socket) this.#message({ kind: "closed" });
        return;
      }
    } catch (error) {
      words = `${sentence(error.message)} Trying again.`;
    }
    if (this.#socket !== socket) return;
    showConnection(words);
    this.#timer = setTimeout(() => this.#connect(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }

  close() {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#timer);
    socket?.close();
    showConnection("");
  }
}

export { request, sentence, Live };
