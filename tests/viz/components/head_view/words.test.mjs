import assert from "node:assert/strict";
import { test } from "node:test";
import { thinFrom } from "../../../../viz/components/head_view/draw.mjs";
import { titleOf, written } from "../../../../viz/components/head_view/words.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";

test("numbers of long texts have a digit more", () => {
  const weights = [0.6249, 0.0149, 0.0049, 0.0004];
  assert.deepEqual(
    weights.map((weight) => written(weight, 13)),
    ["0.62", "0.01", "0", "0"],
  );
  assert.deepEqual(
    weights.map((weight) => written(weight, 512)),
    ["0.625", "0.015", "0.005", "0"],
  );
});

test("only so many lines are thick", () => {
  const starts = [0, 10, 200, ...Array(30).fill(400)];
  assert.equal(thinFrom(starts, 300), 2);
  assert.equal(thinFrom(starts, 900), 32);
});

test("the title names the heads that are drawn", () => {
  assert.equal(titleOf(3, [7], 12), "L3 H7");
  assert.equal(titleOf(3, [MEAN], 12), "L3, mean over heads");
  assert.equal(titleOf(3, [], 12), "L3, no head");
  assert.equal(titleOf(3, [0, 2], 12), "L3 H0, 2");
  assert.equal(titleOf(3, [0, 1], 2), "L3, all 2 heads");
});
