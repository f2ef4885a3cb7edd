import assert from "node:assert/strict";
import { test } from "node:test";
import { weightOf } from "../../../viz/components/shared/message.mjs";
import { unpacked } from "../../../viz/html/browser/quantised.mjs";

/** @param {number[]} numbers below 65536 */
function planesOf(numbers) {
  return Uint8Array.from([...numbers.map((number) => number >> 8), ...numbers.map((number) => number & 255)]);
}

test("weights come back with the four decimals that they were packed with", () => {
  const steps = [0, 1, 17, 2500, 9999, 10_000];
  const tensors = { weights: { shape: [2, 1, 1, 2, 3], values: planesOf(steps) } };
  const message = unpacked({ tensors, extras: { id: "x", packed: { weights: { steps: 10_000 } } } });
  assert.deepEqual(message.extras, { id: "x" });
  assert.deepEqual(message.tensors.weights.shape, [1, 1, 2, 3]);
  const written = [...message.tensors.weights.values].map((root) => weightOf(root).toFixed(4));
  assert.deepEqual(
    written,
    steps.map((step) => (step / 10_000).toFixed(4)),
  );
});

test("numbers are shares of the largest of their head's dimension", () => {
  const shares = [32767, -32767, 0, 16384, 1, 32767, 32767, 0]; // two heads of two tokens and two dimensions
  const tensors = {
    query: { shape: [2, 1, 2, 2, 2], values: planesOf(shares.map((share) => share + 32767)) },
    "query.largest": { shape: [1, 2, 2], values: Float32Array.of(2, 4, 1, 8) },
    scaling: { shape: [1], values: Float32Array.of(0.25) },
  };
  const found = unpacked({
    tensors,
    extras: { id: "x", packed: { query: { largest: "query.largest", steps: 32767 } } },
  }).tensors;
  assert.deepEqual(Object.keys(found), ["query", "scaling"]);
  const expected = [2, -4, 0, 2.000061, 0.0000305, 8, 1, 0];
  [...found.query.values].forEach((value, index) => assert.ok(Math.abs(value - expected[index]) < 1e-5));
});

test("what is not packed stays as it is", () => {
  const tensors = { profiles: { shape: [1], values: Float32Array.of(3) } };
  assert.deepEqual(unpacked({ tensors, extras: { id: "x" } }), { tensors, extras: { id: "x" } });
});
