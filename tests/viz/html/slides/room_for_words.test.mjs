import assert from "node:assert/strict";
import { test } from "node:test";
import { excessHeight } from "../../../../viz/html/browser/slides/room_for_words.mjs";

test("a picture that is wider than its place becomes lower, in its form", () => {
  assert.ok(Math.abs(excessHeight({ width: 300, height: 120 }, 200) - 40) < 1e-9);
  assert.equal(excessHeight({ width: 200, height: 120 }, 200), 0);
  assert.equal(excessHeight({ width: 100, height: 120 }, 200), 0);
});
