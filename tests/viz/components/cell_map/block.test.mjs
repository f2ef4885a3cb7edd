// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { blockOf, hasNoCells, inBlock, nearestIn, sizeOf } from "../../../../viz/components/cell_map/block.mjs";
/** @import { Block } from "../../../../viz/components/cell_map/block.mjs" */

/** @type {Block} */
const BLOCK = { rows: [2, 5], columns: [0, 2] };
/** @type {Block} */
const EMPTY = { rows: [2, 2], columns: [0, 2] };

test("a filter shows the rows of its queries and the columns of its keys", () => {
  assert.deepEqual(blockOf("all", 2, 5), { rows: [0, 5], columns: [0, 5] });
  assert.deepEqual(blockOf("A→B", 2, 5), { rows: [0, 2], columns: [2, 5] });
  assert.deepEqual(blockOf("B→A", 2, 5), { rows: [2, 5], columns: [0, 2] });
  assert.deepEqual(blockOf("A→B", null, 5).rows, [0, 5]);
});

test("a block has a size, and one without rows has no cells", () => {
  assert.deepEqual(sizeOf(BLOCK), { rows: 3, columns: 2 });
  assert.equal(hasNoCells(BLOCK), false);
  assert.equal(hasNoCells(EMPTY), true);
});

test("the nearest cell of a block is in it, if the block has any", () => {
  assert.deepEqual(nearestIn(BLOCK, { row: 9, column: 9 }), { row: 4, column: 1 });
  assert.deepEqual(nearestIn(BLOCK, { row: 0, column: 0 }), { row: 2, column: 0 });
  assert.equal(inBlock(BLOCK, nearestIn(BLOCK, { row: 0, column: 9 })), true);
  assert.equal(inBlock(EMPTY, nearestIn(EMPTY, { row: 2, column: 0 })), false);
});
