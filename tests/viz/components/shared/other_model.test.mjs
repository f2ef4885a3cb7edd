import assert from "node:assert/strict";
import { test } from "node:test";
import { selectionOfModel, tokensOfModel, tokensOfPage } from "../../../../viz/components/shared/other_model.mjs";
import { MEAN, NOTHING } from "../../../../viz/components/shared/selection.mjs";
import { SELECTION } from "../made_up.mjs";

/** @import { Selection } from "../../../../viz/components/shared/types.mjs" */

/** @type {Selection} */
const AT_HEAD = { ...SELECTION, layer: 3, head: 3, scale: "root" };
const SMALL = { layers: 4, heads: 4, tokens: [0, 1, 3, NOTHING], shown: /** @type {const} */ ([3, 3]) };
const LARGE = { ...SMALL, layers: 6, heads: 12 };

test("a model shows the nearest layer and head that it has", () => {
  const follows = { ...SMALL, wanted: /** @type {const} */ ([3, 3]) };
  const { layer, head } = selectionOfModel(follows, { ...AT_HEAD, layer: 5, head: 11 });
  assert.deepEqual([layer, head], [3, 3]);
  assert.equal(selectionOfModel(follows, { ...AT_HEAD, head: MEAN }).head, MEAN);
});

test("a larger model shows the chosen head that the page's model lacks", () => {
  const follows = { ...LARGE, wanted: /** @type {const} */ ([5, 11]) };
  const { layer, head } = selectionOfModel(follows, AT_HEAD);
  assert.deepEqual([layer, head], [5, 11]);
  const next = selectionOfModel(follows, { ...AT_HEAD, layer: 2 });
  assert.deepEqual([next.layer, next.head], [2, 3]);
});

test("tokens become their counterparts, and come back", () => {
  assert.deepEqual(tokensOfModel(SMALL, { query: 2, key: 3 }), { query: 3, key: NOTHING });
  assert.deepEqual(tokensOfPage(SMALL, { query: 3, key: 2 }), { query: 2, key: NOTHING });
  assert.deepEqual(tokensOfPage(SMALL, { query: NOTHING, key: 0 }), { query: NOTHING, key: 0 });
});

test("pictures of several models have one scale", () => {
  const follows = { ...SMALL, wanted: SMALL.shown };
  assert.equal(selectionOfModel(follows, { ...AT_HEAD, scale: "largest" }).scale, "auto");
  assert.equal(selectionOfModel(follows, AT_HEAD).scale, "root");
});
