import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf } from "../../../../viz/components/neuron_view/draw.mjs";
import {
  HEADING,
  MOST_ROWS,
  ROW,
  anchorOf,
  columnAt,
  layoutOf,
  neighbour,
  rowsIn,
  scaleIn,
  scrolledTo,
} from "../../../../viz/components/neuron_view/layout.mjs";

for (const [dimensions, least] of [
  [32, 6],
  [64, 4],
]) {
  // prettier-ignore
  test(`bands of ${dimensions} dimensions are legible in the page's column`, () => {
    const layout = layoutOf({ width: 820, dimensions, widestLabel: 70, left: 8 });
    assert.ok(layout.cell >= least);
    assert.ok(layout.right <= 820);
    const last = layout.product + (dimensions - 0.5) * layout.cell;
    const columns = [layout.key + 1, last, layout.key - 1].map((x) => columnAt(layout, x));
    assert.deepEqual(columns, [0, dimensions - 1, null]);
  });
}

test("zero is the middle of the colours", () => {
  const colours = [-9, -1, 0, 1, 9].map((value) => colourOf(["a", "b", "c"], value, 1));
  assert.deepEqual(colours, ["a", "a", "b", "c", "c"]);
});

test("neighbours stop at the ends; rows scroll as little as possible", () => {
  assert.deepEqual([neighbour([4, 6], 6, 1), neighbour([4, 6], 6, -1)], [6, 4]);
  assert.deepEqual([scrolledTo(50, 100, 20, 10), scrolledTo(0, 100, 95, 10), scrolledTo(5, 100, 50, 10)], [20, 5, 5]);
});

test("a tooltip stands at the row and the column that it is about", () => {
  const layout = layoutOf({ width: 820, dimensions: 8, widestLabel: 60 });
  const box = { left: 10, top: 100 };
  const inRow = anchorOf(layout, { row: 3, column: 2, isOverProduct: false }, box, ROW);
  assert.deepEqual([inRow.left, inRow.right - inRow.left], [10 + layout.key + 2 * layout.cell, layout.cell]);
  assert.deepEqual([inRow.top, inRow.bottom], [100 + 2 * ROW, 100 + 3 * ROW]);
  const inQuery = anchorOf(layout, { row: null, column: 0, isOverProduct: true }, box, ROW);
  assert.deepEqual([inQuery.left, inQuery.bottom], [10 + layout.product, 100 + HEADING / 2]);
});

test("on stage as many rows are shown as fit", () => {
  assert.deepEqual([null, 0, HEADING + 5.5 * ROW, 5000].map(rowsIn), [MOST_ROWS, 3, 5, MOST_ROWS]);
  const fitted = HEADING + 10 * ROW;
  assert.deepEqual([scaleIn(null, 40), scaleIn(fitted, 7), scaleIn(0.7 * fitted, 10)], [1, 1, 0.7]);
});
