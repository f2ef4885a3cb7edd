import assert from "node:assert/strict";
import { test } from "node:test";
import {
  WEIGHTS,
  biasSentence,
  headsOf,
  inCell,
  pictureName,
  planesOf,
  quantityOf,
  statement,
  numberOf,
} from "../../../../viz/components/shared/quantity.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";
import { LENGTHS, SHARES, assertClose } from "../made_up.mjs";

test("a message that names no quantity holds weights", () => {
  assert.equal(quantityOf({}), WEIGHTS);
  assert.equal(quantityOf({ quantity: SHARES }), SHARES);
});

test("a head has its plane, a layer the last one, the mean all", () => {
  assert.deepEqual(planesOf(1, 12, WEIGHTS), [1, 2]);
  assert.deepEqual(planesOf(MEAN, 12, WEIGHTS), [0, 12]);
  assert.deepEqual(planesOf(1, 3, LENGTHS), [1, 2]);
  assert.deepEqual(planesOf(MEAN, 3, LENGTHS), [2, 3]);
  assert.deepEqual(planesOf(7, 1, SHARES), [0, 1]);
  assert.deepEqual([headsOf(WEIGHTS, 4), headsOf(SHARES, 1), headsOf(LENGTHS, 3)], [4, 12, 2]);
});

test("numbers are shares of the largest one", () => {
  assertClose(numberOf(65535, LENGTHS), 8);
  assertClose(numberOf(65535 / 2, LENGTHS), 2);
  assertClose(numberOf(65535, WEIGHTS), 1);
});

test("pictures are named after the method and separate heads", () => {
  assert.equal(pictureName(WEIGHTS, 3, 7), "L3 H7");
  assert.equal(pictureName(WEIGHTS, 3, MEAN), "L3, mean over heads");
  assert.equal(pictureName(LENGTHS, 3, 1), "Value-weighted norms, L3 H1");
  assert.equal(pictureName(LENGTHS, 3, MEAN), "Value-weighted norms, L3, heads together");
  assert.equal(pictureName(SHARES, 3, 1), "GlobEnc, input to L3");
  assert.equal(pictureName({ ...SHARES, from_input: false }, 3, 1), "GlobEnc, L3");
});

test("a number stands with its symbol, in the digits of its unit", () => {
  assert.equal(statement(0.12345, WEIGHTS), "attention weight 0.1235");
  assert.equal(statement(1.372, LENGTHS), "‖α f(x)‖ = 1.37");
  assert.equal(statement(0.00001, SHARES), "GlobEnc share = 0.0000");
  assert.equal(inCell(1.372, LENGTHS), "1.37");
  assert.equal(inCell(1.372, { ...LENGTHS, largest: 12 }), "1.4");
  assert.equal(inCell(137.2, { ...LENGTHS, largest: 137.2 }), "137");
});

test("the biases' lengths are described if a method separates them", () => {
  assert.equal(biasSentence(null, LENGTHS), "");
  assert.match(biasSentence(Float32Array.of(1.5, 0.25), LENGTHS), /no column: .* a length of 0\.250 to 1\.50\.$/);
});
