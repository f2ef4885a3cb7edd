import assert from "node:assert/strict";
import { test } from "node:test";
import { View } from "../../../../viz/components/shared/view.mjs";

/** A view without a page: an event target takes the place of its element. */
function viewWithTarget() {
  const target = /** @type {HTMLElement} */ (/** @type {unknown} */ (new EventTarget()));
  return { target, view: new View(target, {}) };
}

/** @param {string} key @param {object} modifiers */
function keydown(key, modifiers = {}) {
  const event = new Event("keydown", { cancelable: true, bubbles: true });
  return Object.assign(event, { key, ctrlKey: false, metaKey: false, altKey: false, ...modifiers });
}

test("a key that the view handles stops there", () => {
  const { target, view } = viewWithTarget();
  view.listenToKeys(target, ({ key }) => key === "Enter");
  const [answered, other] = [keydown("Enter"), keydown("x")];
  target.dispatchEvent(answered);
  target.dispatchEvent(other);
  assert.deepEqual([answered.defaultPrevented, answered.cancelBubble], [true, true]);
  assert.deepEqual([other.defaultPrevented, other.cancelBubble], [false, false]);
});

test("a shortcut of the browser is not the view's", () => {
  const { target, view } = viewWithTarget();
  view.listenToKeys(target, () => assert.fail("the view was asked"));
  const event = keydown("0", { ctrlKey: true });
  target.dispatchEvent(event);
  assert.equal(event.defaultPrevented, false);
});

test("a closed view removes its listeners", () => {
  const { target, view } = viewWithTarget();
  let clicks = 0;
  view.listen(target, "click", () => clicks++);
  target.dispatchEvent(new Event("click"));
  view.close();
  target.dispatchEvent(new Event("click"));
  assert.equal(clicks, 1);
});
