import assert from "node:assert/strict";
import { test } from "node:test";
import { BrowserEncoder, vectorOf } from "../../../viz/html/browser/site/encoder.mjs";
import { layerMessage, mapMessage, neuronsMessage } from "../../../viz/html/browser/site/payloads.mjs";
import { readableText, tokensOf } from "../../../viz/html/browser/site/tokens.mjs";

const UNITS = {
  labels: ["[CLS]", "a", "[SEP]"],
  special: [true, false, true],
  positions: [[0], [1], [2]],
  b_start: null,
};
/** @type {import("../../../viz/html/browser/site/tokens.mjs").Characters} */
const CHARACTERS = [
  [0, "removed"],
  [32, "known"],
  [0x2000, "space"],
  [0x3000, "alone"],
  [0x10000, "inside"],
];

test("a word's vector is its whole numbers times its scale", () => {
  const file = new Uint8Array(2 * 8);
  new DataView(file.buffer).setFloat32(8, 0.5, true);
  new Int16Array(file.buffer).set([-3, 32767], 6);
  assert.deepEqual([...vectorOf(file.buffer, 1, 2)], [-1.5, 16383.5]);
});

test("characters are read as the model's own tokenizer reads them", () => {
  assert.equal(readableText("a\u0001b\u2003c 字\u{1f642}ΣΣ", CHARACTERS), "ab c  \ua000 \ua000σσ");
});

test("a text keeps as many tokens as the model reads, and its end", () => {
  const tokenizer = { encode: () => ({ ids: [1, 5, 6, 7, 2], tokens: ["[CLS]", "x", "y", "z", "[SEP]"] }) };
  const facts = { longest: 4, frame: [1, 2], visible: { 6: "⟨y⟩" } };
  const tokens = tokensOf(tokenizer, CHARACTERS, "x y z", facts);
  assert.deepEqual(tokens?.ids, [1, 5, 6, 2]);
  assert.deepEqual(tokens?.units.labels, ["[CLS]", "x", "⟨y⟩", "[SEP]"]);
  assert.equal(tokens?.cut, 1);
  assert.equal(tokensOf(tokenizer, CHARACTERS, " ", facts), null);
});

test("messages have what Python sends: roots, inputs and measures", () => {
  const weights = { shape: [1, 3, 3], values: Float32Array.of(1, 0, 0, 0.25, 0.5, 0.25, 0, 1, 0) };
  const layer = layerMessage(weights, UNITS, "run", 2);
  assert.deepEqual([...layer.tensors.weights.values].slice(0, 5), [65535, 0, 0, 32768, 46340]);
  assert.equal(layer.extras.id, "run-L2");
  const array = { shape: [1, 3, 4], values: new Float32Array(12) };
  assert.deepEqual([...neuronsMessage({ query: array, key: array }, UNITS, "run", 0).tensors.scaling.values], [0.5]);
  const { profiles } = mapMessage([weights], UNITS, ["bits", "separators", "itself", "previous", "next"]).tensors;
  assert.deepEqual(profiles.shape, [1, 1, 5]);
  assert.deepEqual(
    [...profiles.values].map((value) => Math.round(value * 12) / 12),
    [0.5, 1 / 12, 0.5, 5 / 12, 1 / 12],
  );
});

test("a part that could not be read is asked for again", async () => {
  let asked = 0;
  const read = async () => {
    asked += 1;
    throw new Error("no network");
  };
  const runtime = /** @type {any} */ ({ InferenceSession: { create: () => ({}) }, Tensor: class {} });
  const encoder = new BrowserEncoder(
    runtime,
    { layers: 0, heads: 1, width: 2, shard: 4, step: "" },
    read,
    async () => {},
  );
  for (const time of [1, 2]) {
    await assert.rejects(
      encoder.run({ ids: [1], layer: 0 }, -1, () => {}),
      /no network/,
    );
    assert.equal(asked, 2 * time);
  }
});
