import assert from "node:assert/strict";
import { test } from "node:test";
import { ENDS, VERTICAL, isShortcut, movedWithin, pages } from "../../../../viz/components/shared/keys.mjs";
import { clamped, existingOf, isIn, sentenceRanges } from "../../../../viz/components/shared/ranges.mjs";
import { unitOf, unitsIn } from "../../../../viz/components/shared/ranges.mjs";
import { MEAN, NOTHING, headName, paintedName } from "../../../../viz/components/shared/selection.mjs";

test("a filter of sentences narrows both sides", () => {
  assert.deepEqual(sentenceRanges("all", 7, 13), [[0, 13], [0, 13]]); // prettier-ignore
  assert.deepEqual(sentenceRanges("A→B", 7, 13), [[0, 7], [7, 13]]); // prettier-ignore
  assert.deepEqual(sentenceRanges("B→A", 7, 13), [[7, 13], [0, 7]]); // prettier-ignore
  assert.deepEqual(sentenceRanges("A→A", 7, 13), [[0, 7], [0, 7]]); // prettier-ignore
  assert.deepEqual(sentenceRanges("B→B", 7, 13), [[7, 13], [7, 13]]); // prettier-ignore
  assert.deepEqual(sentenceRanges("A→B", null, 13), [[0, 13], [0, 13]]); // prettier-ignore
});

test("ranges begin at their first unit and end before their second", () => {
  assert.deepEqual(unitsIn([2, 5]), [2, 3, 4]);
  assert.deepEqual([1, 2, 4, 5].map((unit) => isIn([2, 5], unit)), [false, true, true, false]); // prettier-ignore
  assert.deepEqual([existingOf([2, 5]), existingOf([2, 5], null), existingOf([2, 5], 4)], [[2, 5], [2, 5], [2, 4]]); // prettier-ignore
  assert.deepEqual(existingOf([2, 5], 0), [2, 2]);
  assert.deepEqual([clamped(9, 0, 3), clamped(-9, 0, 3), clamped(0, 2, 1)], [3, 0, 1]);
});

test("a position belongs to the unit that contains it", () => {
  const positions = [[0], [1, 2], [3]];
  assert.deepEqual([0, 2, 3, 4, NOTHING].map((position) => unitOf(positions, position)), [0, 1, 2, -1, NOTHING]); // prettier-ignore
});

test("keys move an index to the ends of its range", () => {
  const steps = { ...VERTICAL, ...pages(15), ...ENDS };
  const keys = ["ArrowUp", "ArrowDown", "PageDown", "Home", "End", "x", "toString"];
  assert.deepEqual(keys.map((key) => movedWithin(key, 1, [0, 40], steps)), [0, 2, 16, 0, 39, null, null]); // prettier-ignore
  assert.equal(movedWithin("ArrowUp", 0, [0, 1], steps), 0);
  assert.equal(movedWithin("ArrowDown", 0, [0, 1], steps), 0);
});

test("a key with Ctrl, ⌘ or Alt is the browser's", () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false };
  assert.equal(isShortcut(none), false);
  for (const key of ["ctrlKey", "metaKey", "altKey"]) assert.equal(isShortcut({ ...none, [key]: true }), true);
});

test("heads have the names that they have everywhere", () => {
  assert.equal(headName(3, 7), "L3 H7");
  assert.equal(headName(3, MEAN), "L3, mean over heads");
  assert.equal(paintedName("id", 3, [7]), "id|L3|H7");
  assert.equal(paintedName("id", 3, [MEAN]), "id|L3|Hmean");
  assert.equal(paintedName("id", 3, [0, 2]), "id|L3|H0.2");
});
