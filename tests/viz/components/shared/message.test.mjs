// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMessage, weightOf } from "../../../../viz/components/shared/message.mjs";
import { assertClose } from "../made_up.mjs";

/** A message in the layout of safetensors, `shift` bytes into a buffer. @param {number} shift */
function messageBytes(shift) {
  const header = new TextEncoder().encode(
    JSON.stringify({
      __metadata__: { extras: JSON.stringify({ id: "id", labels: ["flies"] }) },
      small: { dtype: "U8", shape: [1, 3], data_offsets: [0, 3] },
      exact: { dtype: "F32", shape: [2], data_offsets: [3, 11] },
    }),
  );
  const bytes = new Uint8Array(shift + 8 + header.length + 11);
  new DataView(bytes.buffer).setBigUint64(shift, BigInt(header.length), true);
  bytes.set(header, shift + 8);
  const start = shift + 8 + header.length;
  bytes.set([1, 2, 3], start);
  bytes.set(new Uint8Array(Float32Array.of(0.5, -2).buffer), start + 3);
  return bytes.subarray(shift);
}

for (const shift of [0, 1]) {
  test(`arrays and extras are read, ${shift} bytes into a buffer`, () => {
    const { tensors, extras } = parseMessage(messageBytes(shift));
    assert.deepEqual(extras, { id: "id", labels: ["flies"] });
    assert.deepEqual(tensors.small, { shape: [1, 3], values: Uint8Array.of(1, 2, 3) });
    assert.deepEqual(tensors.exact, { shape: [2], values: Float32Array.of(0.5, -2) });
  });
}

test("weights come back from their roots", () => {
  assert.equal(weightOf(0), 0);
  assertClose(weightOf(32768), 0.2500076);
  assert.equal(weightOf(65535), 1);
});
