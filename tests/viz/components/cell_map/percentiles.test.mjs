import assert from "node:assert/strict";
import { test } from "node:test";
import { percentOf, shareBelow, targetOf } from "../../../../viz/components/cell_map/percentiles.mjs";
import { assertClose, quantised } from "../made_up.mjs";
/** @import { Quantiles } from "../../../../viz/components/cell_map/percentiles.mjs" */

const LEVELS = [0, 0.5, 0.9, 1];

/** Two heads of one layer, and two targets. @param {number[]} weights */
function quantilesOf(weights) {
  const tensor = { shape: [1, 2, 2, 4], values: quantised(weights) };
  const extras = { id: "", targets: ["another word", "itself"], levels: LEVELS, source: "a corpus" };
  return /** @type {Quantiles} */ ({ tensors: { quantiles: tensor }, extras });
}

const made = quantilesOf([
  ...[0.0001, 0.01, 0.1, 0.9], // head 0, another word
  ...[0, 0, 0, 0], // head 0, itself: never seen
  ...[0.2, 0.3, 0.4, 0.5],
  ...[0.001, 0.001, 0.001, 1],
]);

test("shares between two levels are interpolated in log weight", () => {
  /** @param {number} weight */
  const share = (weight) => shareBelow(made, { layer: 0, head: 0, weight }, "another word");
  assert.equal(share(0), 0);
  assert.equal(share(0.95), 1);
  assertClose(share(0.01) ?? -1, 0.5, 1e-3);
  assertClose(share(0.001) ?? -1, 0.25, 1e-3);
  assertClose(share(Math.sqrt(0.1 * 0.9)) ?? -1, 0.95, 1e-3);
});

test("every head and target has quantiles of its own, or none", () => {
  assertClose(shareBelow(made, { layer: 0, head: 1, weight: 0.35 }, "another word") ?? -1, 0.7142, 1e-3);
  assert.equal(shareBelow(made, { layer: 0, head: 0, weight: 0.35 }, "itself"), null);
  assertClose(shareBelow(made, { layer: 0, head: 1, weight: 1 }, "itself") ?? -1, 1, 1e-9);
});

test("a weight has a target only if the corpus counts its kind", () => {
  // [CLS] time fl ##ies [SEP] go [SEP], as wordpieces and as words
  const words = [null, 0, 1, 1, null, 2, null];
  const [yes, no] = [true, false];
  const pieces = {
    positions: [[0], [1], [2], [3], [4], [5], [6]],
    special: [yes, no, no, no, yes, no, yes],
    b_start: 5,
  };
  const whole = { positions: [[0], [1], [2, 3], [4], [5], [6]], special: [yes, no, no, yes, no, yes], b_start: 4 };
  /** @param {typeof pieces} units @param {number} row @param {number} column */
  const target = (units, row, column) => targetOf(units, { row, column }, words);
  assert.equal(target(whole, 1, 2), "another word");
  assert.equal(target(whole, 2, 2), "itself");
  assert.equal(target(whole, 2, 0), "[CLS]");
  assert.equal(target(whole, 4, 3), "[SEP]");
  assert.equal(target(whole, 0, 1), null); // [CLS] is no word that looks
  assert.equal(target(whole, 1, 4), null); // the other sentence
  assert.equal(target(pieces, 1, 2), null); // a part of a word
  assert.equal(target(pieces, 3, 1), null);
  assert.equal(target(pieces, 2, 2), null);
  assert.equal(target({ ...pieces, b_start: 5 }, 5, 5), "itself");
  assert.equal(targetOf(whole, { row: 1, column: 2 }, []), null); // scaled weights
  assert.equal(targetOf({ ...whole, special: Array(6).fill(no) }, { row: 1, column: 3 }, words), null); // a blank
});

test("percent are rounded down, and never 100 for less than all", () => {
  assert.equal(percentOf(0), "0 %");
  assert.equal(percentOf(0.977), "97 %");
  assert.equal(percentOf(0.9987), "99.8 %");
  assert.equal(percentOf(0.99999), "99.9 %");
  assert.equal(percentOf(1), "100 %");
});
