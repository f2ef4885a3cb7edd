// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen } from "../../../../viz/components/plot_clicks/view.mjs";

test("a clicked cell chooses what its axes say, and nothing where it is on none of them", () => {
  const axes = { x: "column", y: "row" };
  assert.deepEqual(chosen({ x: 3.2, y: 0 }, axes), { column: 3, row: 0 });
  assert.deepEqual(chosen({ x: 3, y: 7 }, { y: "row" }), { row: 7 });
  assert.equal(chosen({ x: "a", y: 7 }, axes), null);
  assert.equal(chosen({ x: -2, y: 7 }, axes), null);
  assert.equal(chosen({ y: 7 }, axes), null);
  assert.equal(chosen({ x: 1 }, {}), null);
  assert.equal(chosen(null, axes), null);
});
