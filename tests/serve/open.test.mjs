// `--open` gives the browser a file with the address.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { PROGRAM, program, temporaryFolder, until } from "./lib/server.mjs";

/** Starts a server with `--open`, with this shell script as the program that opens a file. */
function opened(t, script) {
  const folder = temporaryFolder();
  program(join(folder, "xdg-open"), `#!/bin/sh\n${script}\n`);
  const child = spawn(PROGRAM, ["serve", "random", "--results", join(folder, "results"), "--open"], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGINT"));
  return Object.assign(child, { address: join(folder, "address") });
}

test("a browser that cannot read the file does not come, and a warning says what to do", async (t) => {
  const child = opened(t, "exit 0");
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.includes("the browser has not opened the page; open the address above yourself")) continue;
    assert.match(line, /Snap or Flatpak may not be allowed to read .*results\/open-\w+\.html/);
    return;
  }
  assert.fail("there is no warning");
});

test("a browser that reads the file comes with the key, and there is no warning", async (t) => {
  const child = opened(t, `sed 's/.*url=\\([^"]*\\).*/\\1/' "$1" > came; mv came address`);
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const address = await until(() => existsSync(child.address) && readFileSync(child.address, "utf8").trim());
  const answer = await fetch(address, { redirect: "manual" });
  assert.equal(answer.status, 303);
  // Longer than the time that a browser has.
  await new Promise((done) => setTimeout(done, 12_000));
  assert.equal(errors, "");
});
