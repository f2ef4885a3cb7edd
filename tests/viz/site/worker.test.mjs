import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { network } from "./reader_stub.mjs";

const STUBBED = ["./text_reader.mjs", "./next_task.mjs"];
const STUB = import.meta.resolve("./reader_stub.mjs");
registerHooks({
  resolve: (name, context, next) => (STUBBED.includes(name) ? { url: STUB, shortCircuit: true } : next(name, context)),
});

/** @type {string[]} */
const said = []; // by the worker, in short
/** @type {(data: object | string) => void} */
let send = () => {};
Object.assign(globalThis, {
  addEventListener: (/** @type {string} */ _, /** @type {(event: object) => void} */ receive) => {
    send = (data) => receive({ data });
  },
  postMessage: (/** @type {any} */ { number, what, notes, refused }) => {
    if (what === "map") said.push(`map ${number}`);
    if (notes) said.push(notes.join() || `answered ${number}`);
    if (refused) said.push(refused);
  },
});
await import("../../../viz/html/browser/site/worker.mjs");

/** @param {number} number */
function ask(number) {
  send({ number, runs: [{ name: "text", letters: "A", texts: ["b"] }], setting: {}, layer: 0 });
}

/** What the worker says until it is silent. @param {() => void} act */
async function whatFollows(act) {
  said.length = 0;
  act();
  for (let before = -1; before < said.length; await wait(40)) before = said.length;
  return [...said];
}

send({ base: "http://x/", facts: { layers: 4, sizes: {}, folder: "m", step: "", measures: [] }, until: 3 });

test("words are removed once, though it is asked for while the layers are read", async () => {
  const found = await whatFollows(() => {
    ask(1);
    void wait(3).then(() => send("remove"));
  });
  assert.deepEqual(found, ["map 1", "answered 1", "Removing words: 1 of 1.", "answered 1"]);
});

test("a text that is no longer the last is not read to the end", async () => {
  const found = await whatFollows(() => {
    ask(2);
    void wait(3).then(() => ask(3));
  });
  assert.deepEqual(found, ["map 3", "answered 3"]);
});

test("what could not be loaded is asked for again", async () => {
  network.works = false;
  assert.deepEqual(await whatFollows(() => ask(4)), ["The model cannot be run here: no network"]);
  network.works = true;
  assert.deepEqual(await whatFollows(() => send({ until: 3 })), ["map 4", "answered 4"]);
});
