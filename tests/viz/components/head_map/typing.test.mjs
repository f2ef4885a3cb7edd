import assert from "node:assert/strict";
import { test } from "node:test";
import { TypedChoice } from "../../../../viz/components/head_map/typing.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";

const COUNTS = { layer: 6, head: 12 };

/** The choice after some keys, a tenth of a second apart; a space is a pause. @param {string} keys */
function typed(keys) {
  const typing = new TypedChoice();
  let chosen = { layer: 0, head: 4 };
  let now = 0;
  for (const key of keys) {
    now += key === " " ? 5000 : 100;
    if (key !== " ") chosen = typing.press(key, now, chosen, COUNTS) ?? chosen;
  }
  return [chosen.layer, chosen.head];
}

test("digits choose a head, of one digit or of two", () => {
  assert.deepEqual(typed("7"), [0, 7]);
  assert.deepEqual(typed("11"), [0, 11]);
  assert.deepEqual(typed("1 1"), [0, 1]);
});

test("a number that there is not becomes its last digit", () => {
  assert.deepEqual(typed("12"), [0, 2]);
  assert.deepEqual(typed("37"), [0, 7]);
  assert.deepEqual(typed("L39"), [3, 4]);
});

test("L and a digit choose a layer, H a head again, M the mean", () => {
  assert.deepEqual(typed("L3"), [3, 4]);
  assert.deepEqual(typed("l3h1"), [3, 1]);
  assert.deepEqual(typed("L3 1"), [3, 1]);
  assert.deepEqual(typed("L5M"), [5, MEAN]);
});

test("other keys choose nothing, and end a number", () => {
  const typing = new TypedChoice();
  const chosen = { layer: 0, head: 4 };
  assert.equal(typing.press("ArrowUp", 0, chosen, COUNTS), null);
  typing.press("1", 1, chosen, COUNTS);
  assert.equal(typing.press("Tab", 2, chosen, COUNTS), null);
  assert.deepEqual(typing.press("1", 3, chosen, COUNTS), { layer: 0, head: 1 });
});
