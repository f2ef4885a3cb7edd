import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { readMessage } from "../../../viz/html/browser/quantised.mjs";
import { bytesOf } from "../../../viz/html/browser/text_bytes.mjs";

const ALPHABET = [...Array(94).keys()]
  .map((index) => String.fromCharCode(33 + index))
  .filter((one) => !"\"&'<>\\`$-".includes(one));

/** Base 85 by the book, in whole groups of four bytes. @param {Uint8Array} bytes */
function textOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    for (const power of [4, 3, 2, 1, 0]) text += ALPHABET[Math.floor(view.getUint32(at) / 85 ** power) % 85];
  }
  return text;
}

test("five characters are four bytes, from the smallest to the largest", () => {
  const bytes = Uint8Array.of(0, 0, 0, 0, 255, 255, 255, 255, 1, 2, 3, 254);
  assert.deepEqual([...bytesOf(textOf(bytes))], [...bytes]);
  assert.deepEqual([...bytesOf("")], []);
});

test("a last group of fewer characters has a byte less than characters", () => {
  assert.equal(bytesOf("!!").length, 1);
  assert.deepEqual([...bytesOf(`${textOf(Uint8Array.of(9, 8, 7, 6))}!!!!`)], [9, 8, 7, 6, 0, 0, 0]);
});

test("a message is read from deflated bytes as text", async () => {
  const extras = JSON.stringify({ id: "x", measures: ["a"] });
  const header = JSON.stringify({
    __metadata__: { extras },
    profiles: { dtype: "F32", shape: [1], data_offsets: [0, 4] },
  });
  const bytes = Buffer.concat([
    Buffer.from(BigUint64Array.of(BigInt(header.length)).buffer),
    Buffer.from(header),
    Buffer.from(Float32Array.of(0.5).buffer),
  ]);
  const deflated = deflateSync(bytes);
  const whole = Uint8Array.from({ length: 4 * Math.ceil(deflated.length / 4) }, (_, index) => deflated[index] ?? 0);
  const missing = whole.length - deflated.length;
  const text = textOf(whole);
  const {
    messages: [message],
  } = await readMessage(`\n${text.slice(0, text.length - missing)}\n`);
  assert.deepEqual([...message.tensors.profiles.values], [0.5]);
  assert.deepEqual(message.extras, { id: "x", measures: ["a"] });
});
