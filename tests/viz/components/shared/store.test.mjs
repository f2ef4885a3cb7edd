import assert from "node:assert/strict";
import { test } from "node:test";
import { keepMessage, storeOf, withMessage } from "../../../../viz/components/shared/store.mjs";

test("the store evicts old messages and calls back waiting views", () => {
  const store = storeOf({});
  /** @type {unknown[]} */
  const seen = [];
  /** @param {unknown} message */
  const note = (message) => seen.push(message);
  withMessage(store, "b", note);
  const stop = withMessage(store, "b", () => note("after the waiting had ended"));
  stop();
  keepMessage(store, "a", "A", 60, 100);
  keepMessage(store, "b", "B", 30, 100);
  withMessage(store, "a", note);
  keepMessage(store, "c", "C", 30, 100);
  assert.deepEqual([...store.messages.keys()], ["b", "c"]);
  keepMessage(store, "d", "D", 500, 100);
  assert.deepEqual(seen, ["B", "A"]);
  assert.deepEqual([...store.messages.keys()], ["d"]);
});

test("observers are called for every message", () => {
  const store = storeOf({});
  let calls = 0;
  store.observers.add(() => calls++);
  keepMessage(store, "one", {}, 1);
  keepMessage(store, "other", {}, 1);
  assert.equal(calls, 2);
  assert.equal(store.waiting.size, 0);
});
