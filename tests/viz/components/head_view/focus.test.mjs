import assert from "node:assert/strict";
import { test } from "node:test";
import { movedToken, pinChange, pinnedTokens, sameToken } from "../../../../viz/components/head_view/focus.mjs";
/** @import { Token } from "../../../../viz/components/head_view/layout.mjs" */
/** @import { Ranges } from "../../../../viz/components/head_view/lines.mjs" */

const POSITIONS = [[0], [1, 2], [3]];
/** @type {Token} */
const TOKEN = { side: 1, unit: 1 };

test("pins are positions, and tokens are units", () => {
  const ranges = /** @type {Ranges} */ ([[0, 3], [0, 2]]); // prettier-ignore
  assert.deepEqual(pinnedTokens({ query: 2, key: -1 }, POSITIONS, ranges), [{ side: 0, unit: 1 }]);
  const keyIsNotShown = pinnedTokens({ query: 0, key: 3 }, POSITIONS, ranges);
  assert.deepEqual(keyIsNotShown, [{ side: 0, unit: 0 }]);
  assert.deepEqual(pinnedTokens({ query: 99, key: -1 }, POSITIONS, ranges), []);
});

test("a token that is pinned is released, another one is pinned", () => {
  assert.deepEqual(pinChange(TOKEN, [], POSITIONS), { query: -1, key: 1 });
  assert.deepEqual(pinChange(TOKEN, [TOKEN], POSITIONS), { query: -1, key: -1 });
  assert.equal(sameToken(TOKEN, { ...TOKEN }), true);
  assert.equal(sameToken(TOKEN, { ...TOKEN, side: 0 }), false);
  assert.equal(sameToken(TOKEN, null), false);
  assert.equal(sameToken(null, null), true);
});

test("keys move the current token within what is shown", () => {
  const ranges = /** @type {Ranges} */ ([[0, 7], [7, 13]]); // prettier-ignore
  /** @param {string} key */
  const moved = (key) => movedToken(key, { side: 0, unit: 3 }, ranges, 5);
  assert.deepEqual(moved("ArrowDown"), { side: 0, unit: 4 });
  assert.deepEqual(moved("ArrowUp"), { side: 0, unit: 2 });
  assert.deepEqual(moved("PageDown"), { side: 0, unit: 6 });
  assert.deepEqual(moved("Home"), { side: 0, unit: 0 });
  assert.deepEqual(moved("End"), { side: 0, unit: 6 });
  assert.deepEqual(moved("ArrowRight"), { side: 1, unit: 7 });
  assert.deepEqual(moved("ArrowLeft"), { side: 0, unit: 3 });
  assert.equal(moved("x"), null);
});

test("a side without tokens cannot be entered, but left", () => {
  const ranges = /** @type {Ranges} */ ([[7, 7], [0, 7]]); // prettier-ignore
  /** @param {string} key */
  const moved = (key) => movedToken(key, { side: 0, unit: 6 }, ranges, 5);
  assert.equal(moved("ArrowDown"), null);
  assert.deepEqual(moved("ArrowRight"), { side: 1, unit: 6 });
});
