// @ts-check
// Numbers as people read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed } from "../../../../viz/components/neuron_view/scene.mjs";

test("negative numbers have a minus sign and no hyphen", () => {
  assert.deepEqual([fixed(-1.2, 2), fixed(0.25, 2)], ["−1.20", "0.25"]);
});

test("what rounds to zero has no sign", () => {
  for (const value of [-0.004, -0, 0, 0.004]) {
    assert.equal(fixed(value, 2), "0.00");
  }
});
