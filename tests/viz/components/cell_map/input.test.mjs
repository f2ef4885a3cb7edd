import assert from "node:assert/strict";
import { test } from "node:test";
import { STEP, keyAction, wheelAction } from "../../../../viz/components/cell_map/input.mjs";
/** @import { Actions } from "../../../../viz/components/cell_map/input.mjs" */

const STILL = { deltaX: 0, deltaY: 0, deltaMode: 0 };

/** The action of a key and its arguments. @param {{ key: string, shiftKey?: boolean }} event */
function called(event) {
  /** @type {unknown[]} */
  const calls = [];
  const actions = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (/** @type {unknown[]} */ ...values) =>
          calls.push(name, ...values),
    },
  );
  const action = keyAction(event);
  action?.(/** @type {Actions} */ (actions));
  return action && calls;
}

test("the wheel pans, and zooms with Ctrl or ⌘", () => {
  assert.deepEqual(wheelAction({ ...STILL, deltaY: 100 }), { pan: { across: 0, down: 100 } });
  assert.deepEqual(wheelAction({ ...STILL, deltaY: 100, shiftKey: true }), { pan: { across: 100, down: 0 } });
  assert.deepEqual(wheelAction({ ...STILL, deltaY: 3, deltaMode: 1 }), { pan: { across: 0, down: 120 } });
  const nearer = wheelAction({ ...STILL, deltaY: -50, ctrlKey: true });
  assert.ok("zoom" in nearer && nearer.zoom > 1);
  const farther = wheelAction({ ...STILL, deltaY: 50, metaKey: true });
  assert.ok("zoom" in farther && farther.zoom < 1);
});

test("keys move, pan, choose, zoom and release", () => {
  assert.deepEqual(called({ key: "ArrowUp" }), ["moveCursor", "ArrowUp"]);
  assert.deepEqual(called({ key: "ArrowUp", shiftKey: true }), ["pan", { across: 0, down: -60 }]);
  assert.deepEqual(called({ key: " " }), ["chooseCursor"]);
  assert.deepEqual(called({ key: "Enter" }), ["chooseCursor"]);
  assert.deepEqual(called({ key: "+" }), ["zoom", STEP]);
  assert.deepEqual(called({ key: "=" }), ["zoom", STEP]);
  assert.deepEqual(called({ key: "-" }), ["zoom", 1 / STEP]);
  assert.deepEqual(called({ key: "0" }), ["showAll"]);
  assert.deepEqual(called({ key: "Escape" }), ["release"]);
  assert.equal(called({ key: "a" }), null);
});
