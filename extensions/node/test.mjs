// What a Node program does to the add-on: worker threads that come and go, promises, its end. Run by
// `npm test` after `npm install`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

const path = new URL("walk-node.node", import.meta.url).pathname;
const load = () => createRequire(import.meta.url)(path);
const tree = (depth) => (depth === 0 ? "x" : `(${tree(depth - 1)} ${tree(depth - 1)})`);
const [small, large] = [tree(8), tree(16)];
const limit = { timeout: 60_000 };

/** What a worker thread of Node's answers that loads the add-on and runs `program`. */
function worker(program) {
  const before = `
    const { parentPort, workerData } = require("node:worker_threads");
    const { path, small, large } = workerData;
    const { count, countLater } = require(path);
    const answer = (value) => parentPort.postMessage(value);
  `;
  const workerData = { path, small, large };
  const thread = new Worker(before + program, { eval: true, workerData });
  return new Promise((resolve, reject) => {
    let answer;
    thread.on("message", (value) => (answer = value));
    thread.on("error", reject);
    thread.on("exit", (code) => resolve([code, answer]));
  });
}

/** How a process ends that loads the add-on and runs `program`. */
function ends(program) {
  const before = `
    const path = ${JSON.stringify(path)}, small = ${JSON.stringify(small)};
    const { Worker } = require("node:worker_threads");
    const { count, countLater } = require(path);
    if (count(small, "x") !== 256) process.exit(9);
  `;
  const { status, signal, stderr } = spawnSync(process.execPath, ["-e", before + program], {
    timeout: 60_000,
    encoding: "utf8",
  });
  return { status, signal, stderr };
}

// First, while this thread has not loaded it: Node gives the library back with the last thread that
// has. The pool's threads, which sleep in it, must outlive that.
test("worker threads that come and go", limit, async () => {
  for (let i = 0; i < 10; i++) {
    assert.deepEqual(await worker(`answer(count(large, "x"))`), [0, 2 ** 16]);
  }
});

test("counts", limit, () => {
  assert.equal(load().count(large, "x"), 2 ** 16);
  assert.equal(load().count(large, "y"), 0);
});

test("bad input is an error", limit, () => {
  assert.throws(() => load().count("((x)", "x"), /a `\)` is missing/);
});

test("several worker threads at once", limit, async () => {
  const program = `
    let right = 0;
    for (let i = 0; i < 50; i++) right += count(small, "x") === 256;
    answer(right);
  `;
  const answers = await Promise.all(Array.from({ length: 4 }, () => worker(program)));
  assert.deepEqual(answers, Array(4).fill([0, 50]));
});

test("a worker thread that is ended in a call", limit, async () => {
  const thread = new Worker(
    `const { path, large } = require("node:worker_threads").workerData;
     while (true) require(path).count(large, "x");`,
    { eval: true, workerData: { path, large } },
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  await thread.terminate();
  assert.equal(load().count(large, "x"), 2 ** 16);
});

test("a panic is an exception", limit, () => {
  const { count } = load();
  for (let i = 0; i < 3; i++) {
    assert.throws(() => count(`(${large} (panic!) ${large})`, "x"), Error);
    assert.equal(count(large, "x"), 2 ** 16);
  }
});

test("promises: the event loop goes on", limit, async () => {
  const { countLater } = load();
  let ticks = 0;
  const clock = setInterval(() => ticks++, 1);
  const counts = await Promise.all(Array.from({ length: 8 }, () => countLater(large, "x")));
  clearInterval(clock);
  assert.deepEqual(counts, Array(8).fill(2 ** 16));
  assert.ok(ticks > 0, "the event loop stood still");
  await assert.rejects(countLater("(", "x"), /is missing/);
  await assert.rejects(countLater("(panic!)", "x"), /has panicked/);
  assert.equal(await countLater(large, "x"), 2 ** 16);
});

test("the process ends while the pool's threads sleep", limit, () => {
  assert.deepEqual(ends(""), { status: 0, signal: null, stderr: "" });
});

test("the process ends while they work", limit, () => {
  const program = `
    const call = "const { path, small } = require('node:worker_threads').workerData;" +
      "while (true) require(path).count(small, 'x');";
    for (let i = 0; i < 3; i++) new Worker(call, { eval: true, workerData: { path, small } });
    setTimeout(() => process.exit(0), 200);
  `;
  assert.deepEqual(ends(program), { status: 0, signal: null, stderr: "" });
});
