// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Link } from "../../../../viz/components/shared/link.mjs";

/** @typedef {{ number: number, changes: object }} Sent */

/** Messages, and the callback that notes them. */
function recorder() {
  /** @type {Sent[]} */
  const sent = [];
  /** @type {(name: string, value: unknown) => void} */
  const setTriggerValue = (_, value) => sent.push(/** @type {Sent} */ (value));
  return { sent, setTriggerValue };
}

test("changes stay until Python has answered the last of them", () => {
  const { sent, setTriggerValue } = recorder();
  const link = new Link();
  /** @param {number | null} answered */
  const shown = (answered) => {
    link.acknowledge(answered);
    return link.merged({ layer: 0, head: 4 });
  };
  const [fromPython, clicked] = [
    { layer: 0, head: 4 },
    { layer: 2, head: 7 },
  ];
  assert.deepEqual(shown(null), fromPython);
  link.send({ layer: 2 }, setTriggerValue);
  link.send({ head: 7 }, setTriggerValue);
  assert.deepEqual(
    sent.map((message) => message.changes),
    [{ layer: 2 }, { layer: 2, head: 7 }],
  );
  assert.equal(sent[1].number - sent[0].number, 1);
  assert.deepEqual(shown(null), clicked);
  assert.deepEqual(shown(sent[0].number), clicked);
  assert.deepEqual(shown(sent[1].number), fromPython);
  assert.deepEqual(shown(null), fromPython);
});

test("two views never repeat a number", async () => {
  const { sent, setTriggerValue } = recorder();
  const first = new Link();
  for (let layer = 0; layer < 3; layer++) first.send({ layer }, setTriggerValue);
  await wait(20);
  new Link().send({ layer: 0 }, setTriggerValue);
  const numbers = sent.map((message) => message.number);
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((one, other) => one - other),
  );
  assert.equal(numbers.length, 4);
});
