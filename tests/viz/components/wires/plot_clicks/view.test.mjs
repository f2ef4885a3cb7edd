import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen } from "../../../../../viz/components/wires/plot_clicks/view.mjs";

test("a clicked cell sets the fields of its axes", () => {
  const axes = { x: "column", y: "row" };
  assert.deepEqual(chosen({ x: 3.2, y: 0 }, { axes }), { column: 3, row: 0 });
  assert.deepEqual(chosen({ x: 3, y: 7 }, { axes: { y: "row" } }), { row: 7 });
  assert.equal(chosen({ x: "a", y: 7 }, { axes }), null);
  assert.equal(chosen({ x: -2, y: 7 }, { axes }), null);
  assert.equal(chosen({ y: 7 }, { axes }), null);
  assert.equal(chosen({ x: 1 }, { axes: {} }), null);
  assert.equal(chosen(null, { axes }), null);
});

test("words are pinned in the first text that has both of them", () => {
  const texts = [
    { text: "A", tokens: [0, 1, 2, -1] },
    { text: "B", tokens: [0, 1, -1, 3] },
  ];
  const chart = { axes: { x: "key", y: "query" }, texts };
  assert.deepEqual(chosen({ x: 1, y: 2 }, chart), { key: 1, query: 2, pinned_in: "A" });
  assert.deepEqual(chosen({ x: 3, y: 1 }, chart), { key: 3, query: 1, pinned_in: "B" });
  assert.equal(chosen({ x: 3, y: 2 }, chart), null);
  assert.equal(chosen({ x: 9, y: 2 }, chart), null);
});
