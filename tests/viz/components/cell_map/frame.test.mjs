import assert from "node:assert/strict";
import { test } from "node:test";
import {
  WHOLE,
  cellAt,
  cellSize,
  clamped,
  enlarged,
  firstCell,
  inView,
  labelStep,
  largestZoom,
  movedCell,
  poolOf,
  revealing,
  zoomedAt,
} from "../../../../viz/components/cell_map/frame.mjs";
import { assertClose } from "../made_up.mjs";
/** @import { Frame } from "../../../../viz/components/cell_map/frame.mjs" */
/** @import { Range } from "../../../../viz/components/shared/types.mjs" */

/** @typedef {ReturnType<typeof grid>} TestGrid */

/**
 * An area at 10, 20 and the cells in it.
 * @param {number} width @param {number} height @param {Range} rows @param {Range} columns
 */
function grid(width, height, rows = [0, 100], columns = [0, 100]) {
  return { area: { left: 10, top: 20, width, height }, block: { rows, columns } };
}

/** @type {(grid: TestGrid, zoom: number, row: number, column: number) => TestGrid & { frame: Frame }} */
const framed = (one, zoom, row, column) => ({ ...one, frame: { zoom, row, column } });

const BLOCK = grid(400, 300, [60, 100], [0, 60]);
const TALL = grid(600, 500, [0, 100], [100, 110]); // cells of 60 × 5 pixels

test("a frame shows nothing but cells, up to 64 pixels each", () => {
  const five = grid(1280, 1280); // cells of 12.8 pixels
  assert.deepEqual(clamped(five, { zoom: 2, row: 90, column: -3 }), { zoom: 2, row: 50, column: 0 });
  assert.equal(clamped(five, { zoom: 9, row: 0, column: 0 }).zoom, 5);
});

test("zooming leaves the point where it is", () => {
  const frame = zoomedAt({ ...grid(800, 800), frame: WHOLE }, 2, { row: 50, column: 100 });
  assert.deepEqual(frame, { zoom: 2, row: 25, column: 50 });
});

test("a dragged box becomes as large as it can", () => {
  const box = enlarged(grid(128, 128), { row: 10, column: 10 }, { row: 30, column: 20 });
  assert.deepEqual(box, { zoom: 5, row: 10, column: 5 });
  assert.equal(enlarged(grid(1600, 1600), { row: 10, column: 10 }, { row: 10, column: 10 }).zoom, 4);
  const block = enlarged(BLOCK, { row: 70, column: 10 }, { row: 80, column: 20 });
  assert.deepEqual(block, { zoom: 4, row: 70, column: 7.5 });
});

test("a cell is revealed by moving as little as possible", () => {
  const frame = revealing(framed(grid(128, 128), 10, 20, 20), { row: 35, column: 3 });
  assert.deepEqual(frame, { zoom: 10, row: 26, column: 3 });
  const moved = revealing(framed(BLOCK, 4, 60, 45), { row: 99, column: 2 });
  assert.deepEqual(moved, { zoom: 4, row: 90, column: 2 });
});

test("labels and pixels are shared by as many cells as they must be", () => {
  assert.deepEqual(
    [1.2, 7, 7.5, 13.8, 14, 40].map((pitch) => labelStep(pitch)),
    [12, 2, 2, 2, 1, 1],
  );
  assert.deepEqual(poolOf({ across: 0.4, down: 1 }, 1), { across: 3, down: 1 });
  assert.deepEqual(poolOf({ across: 0.5, down: 0.4 }, 2), { across: 1, down: 2 });
});

test("the cell under the pointer is found in the part in view", () => {
  /** @type {(x: number, y: number) => unknown} */
  const cell = (x, y) => cellAt(framed(grid(100, 50, [0, 10], [0, 10]), 2, 5, 0), { x, y });
  assert.deepEqual(cell(10, 20), { row: 5, column: 0 });
  assert.deepEqual(cell(109, 69), { row: 9, column: 4 });
  assert.equal(cell(9, 30), null);
  assert.equal(cell(30, 70), null);
});

test("frames of a block stay within it", () => {
  assert.deepEqual(clamped(BLOCK, WHOLE), { zoom: 1, row: 60, column: 0 });
  /** @type {(zoom: number, row: number, column: number) => unknown} */
  const seen = (zoom, row, column) => inView({ ...BLOCK, frame: clamped(BLOCK, { zoom, row, column }) });
  assert.deepEqual(seen(1, 0, 0), { rows: [60, 99], columns: [0, 59] });
  assert.deepEqual(seen(4, 0, 99), { rows: [60, 69], columns: [45, 59] });
  assert.deepEqual(seen(4, 999, -9), { rows: [90, 99], columns: [0, 14] });
});

test("many low rows become higher while few wide columns stay", () => {
  assertClose(largestZoom(TALL), 24 / 5);
  assert.deepEqual(cellSize(framed(TALL, 4, 0, 0)), { across: 60, down: 20 });
  assert.deepEqual(inView(framed(TALL, 4, 50, 100)), { rows: [50, 74], columns: [100, 109] });
  const zoomed = zoomedAt(framed(TALL, 1, 0, 100), 4, { row: 40, column: 104 });
  assert.deepEqual(zoomed, { zoom: 4, row: 30, column: 100 });
  // All columns are in view anyway: how many of them a box is wide does not matter.
  const box = enlarged(TALL, { row: 10, column: 100 }, { row: 35, column: 110 });
  assert.deepEqual(box, { zoom: 4, row: 10, column: 100 });
});

test("wide cells may become 64 pixels wide, readable ones stay", () => {
  const wide = grid(700, 300, [0, 10], [10, 110]); // cells of 7 × 30 pixels
  assertClose(largestZoom(wide), 64 / 7);
  const largest = cellSize(framed(wide, largestZoom(wide), 0, 10));
  assertClose(largest.across, 64);
  assertClose(largest.down, 64);
  assert.equal(largestZoom(grid(400, 300, [0, 10], [10, 20])), 1);
});

test("keys move the cursor within the block", () => {
  /** @param {string} key */
  const moved = (key) => movedCell(key, { row: 60, column: 5 }, BLOCK.block);
  assert.deepEqual(moved("ArrowUp"), { row: 60, column: 5 });
  assert.deepEqual(moved("ArrowDown"), { row: 61, column: 5 });
  assert.deepEqual(moved("ArrowLeft"), { row: 60, column: 4 });
  assert.deepEqual(moved("End"), { row: 60, column: 59 });
  assert.deepEqual(moved("Home"), { row: 60, column: 0 });
  assert.deepEqual(moved("PageDown"), { row: 99, column: 5 });
  assert.deepEqual(moved("PageUp"), { row: 60, column: 5 });
  assert.equal(moved("x"), null);
});

test("the keyboard starts at the pinned cell, else at the upper left", () => {
  const part = framed(BLOCK, 4, 70, 7.5);
  assert.deepEqual(firstCell(part, { row: 75, column: 10 }), { row: 75, column: 10 });
  assert.deepEqual(firstCell(part, { row: 99, column: 10 }), { row: 79, column: 10 });
  assert.deepEqual(firstCell(part, { row: -1, column: -1 }), { row: 70, column: 8 });
});
