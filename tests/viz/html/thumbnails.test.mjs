import assert from "node:assert/strict";
import { test } from "node:test";
import { thumbnailsOf } from "../../../viz/html/browser/thumbnails.mjs";
/** @import { LayerMessage } from "../../../viz/components/shared/types.mjs" */

/**
 * A layer of one head.
 * @param {number} count of units
 * @param {(row: number, column: number) => number} root of the weight, from 0 to 1
 * @param {number | null} bStart
 */
function layerOf(count, root, bStart = null) {
  const values = Uint16Array.from({ length: count * count }, (_, index) =>
    Math.round(65535 * root(Math.floor(index / count), index % count)),
  );
  const message = { tensors: { weights: { shape: [1, count, count], values } }, extras: { b_start: bStart } };
  return /** @type {LayerMessage} */ (/** @type {unknown} */ (message));
}

test("a short text's picture has a cell for every weight", () => {
  const { shape, values } = thumbnailsOf([layerOf(2, (row, column) => (row === column ? 1 : 0.5))], "all");
  assert.deepEqual(shape, [1, 1, 2, 2]);
  assert.deepEqual([...values], [255, 128, 128, 255]);
});

test("a long text's cells are the largest of runs of nearly equal length", () => {
  const peak = layerOf(100, (row, column) => (row === 99 && column === 2 ? 1 : 0));
  const { shape, values } = thumbnailsOf([peak, peak], "all");
  assert.deepEqual(shape, [2, 1, 48, 48]);
  // Run i begins at ⌊i · 100 / 48⌋, as in `pool_starts` of encoder/measures/head_profiles.py: 0, 2, 4, 6, 8, 10, 12, …
  assert.deepEqual(
    [...values.entries()].filter(([, value]) => value === 255).map(([index]) => index),
    [47 * 48 + 1, 48 * 48 + 47 * 48 + 1],
  );
});

test("a part of a square has its own rows and columns", () => {
  const layer = layerOf(5, (row, column) => (row * 5 + column) / 25, 2);
  const { shape, values } = thumbnailsOf([layer], "B→A");
  assert.deepEqual(shape, [1, 1, 3, 2]);
  assert.deepEqual(
    [...values],
    [10, 11, 15, 16, 20, 21].map((cell) => Math.round((255 * Math.round((65535 * cell) / 25)) / 65535)),
  );
});
