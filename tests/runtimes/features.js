// What a bot in JavaScript may use in a sandbox.
const { Worker, isMainThread, parentPort } = require("worker_threads");
const { execSync, fork, spawn } = require("child_process");
const fs = require("fs");
const assert = require("assert");

const answer = (emitter) => new Promise((resolve) => emitter.once("message", resolve));

async function main() {
  assert.equal(await answer(new Worker(__filename)), "text");
  assert.equal(execSync("echo text").toString(), "text\n");
  const child = fork(__filename, ["child"]);
  child.send(41);
  assert.equal(await answer(child), 42);
  const group = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  process.kill(-group.pid);
  const path = process.env.TMPDIR + "/a";
  fs.writeFileSync(path, "text".repeat(10000));
  assert.equal((await fs.promises.readFile(path)).length, 40000);
  await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
}

if (!isMainThread) {
  parentPort.postMessage("text");
} else if (process.argv[2] === "child") {
  process.once("message", (number) => process.send(number + 1, () => process.exit()));
} else {
  main();
}
