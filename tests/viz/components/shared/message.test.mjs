import assert from "node:assert/strict";
import { test } from "node:test";
import { layerId, messagesIn, weightOf } from "../../../../viz/components/shared/message.mjs";
import { assertClose } from "../made_up.mjs";

/** A message in the layout of safetensors, `shift` bytes into a buffer. @param {object} extras @param {number} shift */
function messageBytes(extras, shift = 0) {
  const header = new TextEncoder().encode(
    JSON.stringify({
      __metadata__: { extras: JSON.stringify(extras) },
      small: { dtype: "U8", shape: [2, 1, 2], data_offsets: [0, 4] },
      exact: { dtype: "F32", shape: [2], data_offsets: [4, 12] },
    }),
  );
  const bytes = new Uint8Array(shift + 8 + header.length + 12);
  new DataView(bytes.buffer).setBigUint64(shift, BigInt(header.length), true);
  bytes.set(header, shift + 8);
  const start = shift + 8 + header.length;
  bytes.set([1, 2, 3, 4], start);
  bytes.set(new Uint8Array(Float32Array.of(0.5, -2).buffer), start + 4);
  return bytes.subarray(shift);
}

for (const shift of [0, 1]) {
  test(`arrays and extras are read, ${shift} bytes into a buffer`, () => {
    const { id, messages } = messagesIn(messageBytes({ id: "id", labels: ["flies"] }, shift));
    const [{ tensors, extras }] = messages;
    assert.deepEqual([id, messages.length, extras], ["id", 1, { id: "id", labels: ["flies"] }]);
    assert.deepEqual(tensors.small, { shape: [2, 1, 2], values: Uint8Array.of(1, 2, 3, 4) });
    assert.deepEqual(tensors.exact, { shape: [2], values: Float32Array.of(0.5, -2) });
  });
}

test("a message of some layers becomes one of each, under the layer's id", () => {
  const { id, messages } = messagesIn(messageBytes({ id: "run", layers: [3, 5], labels: ["a", "b"] }));
  const [third, fifth] = messages;
  assert.deepEqual([id, third.extras], ["run", { id: "run-L3", layer: 3, labels: ["a", "b"] }]);
  assert.equal(fifth.extras.id, layerId("run", 5));
  assert.deepEqual(third.tensors.small, { shape: [1, 2], values: Uint8Array.of(1, 2) });
  assert.deepEqual(fifth.tensors.small, { shape: [1, 2], values: Uint8Array.of(3, 4) });
  assert.deepEqual([...fifth.tensors.exact.values], [-2]);
});

test("weights come back from their roots", () => {
  assert.equal(weightOf(0), 0);
  assertClose(weightOf(32768), 0.2500076);
  assert.equal(weightOf(65535), 1);
});
