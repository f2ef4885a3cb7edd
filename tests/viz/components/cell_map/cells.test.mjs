import assert from "node:assert/strict";
import { test } from "node:test";
import { HIDDEN, headWeights, pixels, pooled } from "../../../../viz/components/cell_map/cells.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";
import { assertAllClose, attention, quantised } from "../made_up.mjs";
/** @import { Scale } from "../../../../viz/components/cell_map/scale.mjs" */
/** @import { Range } from "../../../../viz/components/shared/types.mjs" */

/** @type {Scale} */
const LINEAR = { kind: "linear", most: 1 };

const MAX_ERROR = 1.6e-5; // of a weight, through quantisation: viz.components.store.MAX_ERROR
const [HEADS, COUNT] = [3, 50];
const WEIGHTS = attention(HEADS, COUNT);
const TENSOR = { shape: [HEADS, COUNT, COUNT], values: quantised(WEIGHTS) };
const CELLS = COUNT * COUNT;

test("weights of a head and of the mean are those that were sent", () => {
  assertAllClose(headWeights(TENSOR, 1), WEIGHTS.subarray(CELLS, 2 * CELLS), MAX_ERROR);
  const mean = Float64Array.from({ length: CELLS }, (_, cell) => {
    return (WEIGHTS[cell] + WEIGHTS[CELLS + cell] + WEIGHTS[2 * CELLS + cell]) / HEADS;
  });
  assertAllClose(headWeights(TENSOR, MEAN), mean, MAX_ERROR);
});

test("weights of queries that do not exist yet are hidden", () => {
  const ones = { shape: [2, 2, 2], values: new Uint16Array(8).fill(65535) };
  const found = [0, 1, 2, 9].map((until) => [...headWeights(ones, MEAN, until)]);
  assert.deepEqual(found, [
    [HIDDEN, HIDDEN, HIDDEN, HIDDEN],
    [1, 1, HIDDEN, HIDDEN],
    [1, 1, 1, 1],
    [1, 1, 1, 1],
  ]);
});

test("pooling keeps the largest weight of a block's cells", () => {
  const nine = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9);
  /** @type {(rows: Range, columns: Range) => unknown} */
  const pool = (rows, columns) => {
    const small = pooled(nine, 3, { rows, columns }, { down: 2, across: 2 });
    return [[...small.values], small.rows, small.columns];
  };
  assert.deepEqual(pool([0, 3], [0, 3]), [[5, 6, 8, 9], 2, 2]);
  assert.deepEqual(pool([0, 3], [1, 3]), [[6, 9], 2, 1]);
  assert.deepEqual(pool([1, 2], [0, 3]), [[5, 6], 1, 2]);
});

test("hidden cells are transparent, others have the ramp's colours", () => {
  const ramp = Uint32Array.from({ length: 11 }, (_, step) => (255 << 24) | step); // opaque, step as red
  /** @param {Scale} scale */
  const reds = (scale) =>
    [...pixels(Float32Array.of(HIDDEN, 0.04, 0.5), ramp, scale)].filter((_, byte) => byte % 4 === 0);
  assert.deepEqual([...pixels(Float32Array.of(HIDDEN, 1), ramp, LINEAR)], [0, 0, 0, 0, 10, 0, 0, 255]);
  assert.deepEqual(reds(LINEAR), [0, 0, 5]);
  assert.deepEqual(reds({ kind: "root", most: 1 }), [0, 2, 7]);
  assert.deepEqual(reds({ kind: "largest", most: 0.5 }), [0, 1, 10]);
});
