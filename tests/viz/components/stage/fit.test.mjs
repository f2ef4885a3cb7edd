import assert from "node:assert/strict";
import { test } from "node:test";
import { LABEL } from "../../../../viz/components/cell_map/layout.mjs";
import { scaleIn } from "../../../../viz/components/stage/fit.mjs";

test("the smallest token text has 24 pixels on a projector", () => {
  assert.ok(LABEL * scaleIn(1280, 720) >= 24);
  assert.ok(Math.abs(scaleIn(1920, 1080) - 1.5 * scaleIn(1280, 720)) < 0.002);
});

test("the narrower side of the window decides", () => {
  assert.equal(scaleIn(1280, 1024), scaleIn(1280, 720));
  assert.equal(scaleIn(2560, 720), scaleIn(1280, 720));
});

test("a small window shows the page as large as ever", () => {
  assert.equal(scaleIn(390, 844), 1);
});
