// Connections that die without an end, as after the sleep of a laptop, and clicks that come twice.

import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { LOST, REFUSED, button, cell, go, matchForm, moves, startBoard, visit, words } from "./lib/pages.mjs";
import { BOT, heldBot, startFor, until } from "./lib/server.mjs";

/**
 * A tunnel to a server, with another port. While `isSilent`, nothing passes and no connection ends; what was open then
 * stays silent.
 */
async function tunnel(t, server) {
  const { hostname, port } = new URL(server.address);
  const state = { isSilent: false }, ends = new Set();
  const listener = createServer((client) => {
    const other = connect(port, hostname), dead = { isSilent: false };
    for (const [from, to] of [[client, other], [other, client]]) {
      ends.add(from);
      from.on("error", () => {});
      from.on("data", (bytes) => {
        dead.isSilent ||= state.isSilent;
        if (!dead.isSilent) to.write(bytes);
      });
      from.on("close", () => dead.isSilent || to.destroy());
    }
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  t.after(() => {
    listener.close();
    for (const end of ends) end.destroy();
  });
  const through = (address) => address.replace(`:${port}/`, `:${listener.address().port}/`);
  return Object.assign(state, {
    server: { ...server, address: through(server.address), base: through(`${server.base}/`).slice(0, -1) },
  });
}

const noWords = (page) =>
  until(async () => (await page.textContent("#connection")) === "", "connected again");

test("a page says that nothing comes any more, and connects again with the present state", async (t) => {
  const server = await startFor(t, { args: [BOT] }), through = await tunnel(t, server);
  const { page, end } = await visit(through.server);
  await startBoard(page, "human", "human");
  await cell(page, "a1").click();
  await until(async () => (await moves(page)).join() === "a1");
  const board = new URL(page.url()).hash.replace("#/board", "");

  through.isSilent = true;
  await words(page, "#connection", /^The connection to the server is lost; trying again\.$|Trying again\.$/);
  await server.post(`/api/boards${board}`, { do: "move", move: "a2", plies: 1 });
  assert.deepEqual(await moves(page), ["a1"], "nothing passes");
  through.isSilent = false;
  await until(async () => (await moves(page)).join() === "a1,a2");
  await noWords(page);
  await cell(page, "a3").click();
  await until(async () => (await moves(page)).join() === "a1,a2,a3");

  // Lists have no web socket.
  for (const hash of ["#/", "#/match", "#/results"]) {
    await go(page, hash);
    through.isSilent = true;
    await words(page, "#connection", "The server does not answer.");
    through.isSilent = false;
    await noWords(page);
  }
  await end(LOST, REFUSED);
});

test("the page of a match connects again", async (t) => {
  const held = heldBot(), server = await startFor(t, { args: [BOT, ...held.words] }),
    through = await tunnel(t, server);
  const { page, end } = await visit(through.server, "#/match");
  await matchForm(page, ["program:bot", "program:held"], { "Games at a time": "2" });
  await button(page, "Start").click();
  await words(page, ".live-boards h3", /move [45]:/);
  through.isSilent = true;
  await words(page, "#connection", /rying again\.$/);
  held.release("more");
  held.release("end");
  await until(async () => (await server.get("/api/matches")).matches[0].state === "finished");
  through.isSilent = false;
  await words(page, ".progress-words", /^Finished: 2 of 2 games\.$/);
  await noWords(page);
  await end(LOST, REFUSED);
});

test("a quiet connection stays", async (t) => {
  const server = await startFor(t);
  const opened = await visit(server);
  const { page, end } = opened;
  let sockets = 0, beats = 0;
  page.on("websocket", (socket) => {
    sockets += 1;
    socket.on("framereceived", ({ payload }) => {
      beats += typeof payload !== "string";
    });
  });
  await startBoard(page, "human", "human");
  // Longer than a silence that means a lost connection.
  await until(() => beats === 6);
  assert.equal(sockets, 1);
  await end();
});

test("a second click starts nothing", async (t) => {
  const server = await startFor(t);
  const { page, end } = await visit(server);
  const boards = async () => (await server.get("/api/boards")).boards.length;
  const posts = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.postDataJSON()));

  await button(page, "Start").dblclick();
  await page.locator(".game .strip").first().waitFor();
  assert.equal(await boards(), 1);
  // Two clicks before the page has done anything; and a key that is held down, on a page that was left and came back.
  await go(page, "#/");
  await button(page, "Start").evaluate((start) => {
    start.click();
    start.click();
  });
  await page.locator(".game .strip").first().waitFor();
  assert.equal(await boards(), 2);
  await page.goBack();
  await page.selectOption("#seat-1", "builtin:random");
  await page.selectOption("#seat-2", "builtin:random");
  await button(page, "Start").focus();
  for (let count = 0; count < 5; count += 1) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await page.locator(".game .strip").first().waitFor();
  assert.equal(await boards(), 3);
  assert.equal(posts.length, 3);

  // A button whose meaning changes with the answer.
  await button(page, "Pause").click();
  await button(page, "Resume").focus();
  posts.length = 0;
  for (let count = 0; count < 20; count += 1) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await button(page, "Pause").waitFor();
  assert.deepEqual(posts, [{ do: "pause", on: false }]);
  const place = await button(page, "Pause").boundingBox();
  const at = [place.x + 5, place.y + 5];
  await page.mouse.click(...at);
  await button(page, "Resume").waitFor();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await button(page, "Resign").waitFor();
  assert.deepEqual(posts.slice(1), [{ do: "pause", on: true }]);
  await end(REFUSED);
});

test("a page can be used until the next one is there", async (t) => {
  const server = await startFor(t, { args: [BOT] });
  const { page, end } = await visit(server);
  await startBoard(page, "human", "human");
  const held = [];
  await page.route("**/api/site", (route) => held.push(route));
  await page.evaluate(() => {
    location.hash = "#/match";
  });
  await until(() => held.length === 1);
  await cell(page, "a1").click();
  await until(async () => (await moves(page)).join() === "a1");
  await held[0].continue();
  await page.getByRole("heading", { name: "Matches", exact: true }).waitFor();
  await end();
});

test("a page says that it cannot show a message", async (t) => {
  const server = await startFor(t, { args: [BOT] });
  const { page, end } = await visit(server);
  let isBroken = false;
  await page.routeWebSocket(/\/live\/board\//, (socket) => {
    socket.connectToServer().onMessage((message) =>
      socket.send(isBroken && typeof message === "string" ? `${message}!` : message)
    );
  });
  await startBoard(page, "human", "human");
  isBroken = true;
  await cell(page, "a1").click();
  await words(page, "#connection", /^This page cannot show what the server sent\. Load it again: /);
  await end(/SyntaxError|JSON/);
});
