import assert from "node:assert/strict";
import { test } from "node:test";
import { placeTip, pointAnchor } from "../../../../viz/components/shared/tip.mjs";

const WINDOW = { width: 1000, height: 500 };
const TIP = { width: 100, height: 50 };

test("a tooltip is below its anchor, or above without room", () => {
  /** @param {number} top */
  const place = (top) => placeTip({ left: 990, right: 1018, top, bottom: top + 28 }, TIP, WINDOW);
  assert.deepEqual(place(0), { left: 896, top: 32 });
  assert.deepEqual(place(460), { left: 896, top: 406 });
});

test("a tooltip is next to the pointer, on the side with room", () => {
  /** @type {(x: number, y: number) => unknown} */
  const place = (x, y) => placeTip(pointAnchor(x, y), TIP, WINDOW, { side: "right", gap: 14 });
  assert.deepEqual(place(200, 100), { left: 214, top: 114 });
  assert.deepEqual(place(950, 100), { left: 836, top: 114 });
  assert.deepEqual(place(50, 490), { left: 64, top: 446 });
  const narrow = placeTip(pointAnchor(60, 10), TIP, { width: 120, height: 40 }, { side: "right", gap: 14 });
  assert.deepEqual(narrow, { left: 0, top: 0 });
});
