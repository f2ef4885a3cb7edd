import assert from "node:assert/strict";
import { test } from "node:test";
import { pinnedIn, rankedHeads, unitsOfPins } from "../../../../viz/components/linking_heads/ranking.mjs";
import { keepMessage, storeOf } from "../../../../viz/components/shared/store.mjs";
/** @import { LayerMessage, Selection } from "../../../../viz/components/shared/types.mjs" */

/**
 * A layer of two heads and three units, the second of which has two tokens.
 * @param {number} layer
 * @param {readonly number[]} given the weight from the second unit to the third, by head
 */
function layerOf(layer, given) {
  const values = new Uint16Array(2 * 3 * 3);
  given.forEach((weight, head) => (values[head * 9 + 1 * 3 + 2] = Math.round(65535 * Math.sqrt(weight))));
  const extras = { id: "", layer, labels: ["[CLS]", "flies", "."], positions: [[0], [1, 2], [3]] };
  return /** @type {LayerMessage} */ (
    /** @type {unknown} */ ({ tensors: { weights: { shape: [2, 3, 3], values } }, extras })
  );
}

test("heads are ranked by their weight between two units", () => {
  const layers = [layerOf(0, [0.25, 0.5]), layerOf(1, [0.81, 0.25])];
  const units = unitsOfPins(layers[0], { query: 2, key: 3 });
  assert.deepEqual(units, { row: 1, column: 2 });
  assert.ok(units);
  assert.deepEqual(
    rankedHeads(layers, units).map(({ layer, head, weight }) => [layer, head, Number(weight.toFixed(3))]),
    [
      [1, 0, 0.81],
      [0, 1, 0.5],
      [0, 0, 0.25],
      [1, 1, 0.25],
    ],
  );
});

test("a token that is hidden has no unit", () => {
  assert.equal(unitsOfPins(layerOf(0, [0, 0]), { query: 4, key: 0 }), null);
});

test("the cached layers of the run with the pinned tokens", () => {
  const store = storeOf({});
  const [first, third] = [layerOf(0, [0, 0]), layerOf(2, [0, 0])];
  keepMessage(store, "b-L2", third, 1);
  keepMessage(store, "a-L0", layerOf(0, [1, 1]), 1);
  keepMessage(store, "b-L0", first, 1);
  const runs = [
    { run: "a", layers: 3, texts: ["A"], words: [] },
    { run: "b", layers: 3, texts: ["B"], words: [] },
  ];
  /** @param {string} text @param {number} query @param {number} key */
  const pins = (text, query, key) => /** @type {Selection} */ ({ ...{ query, key }, pinned_in: text });
  assert.deepEqual(pinnedIn(runs, pins("B", 1, 2), store), { run: runs[1], layers: [first, third] });
  assert.equal(pinnedIn(runs, pins("B", 1, -1), store), null);
  assert.equal(pinnedIn(runs, pins("B", -1, 2), store), null);
  assert.equal(pinnedIn(runs, pins("decoder", 1, 2), store), null);
  assert.equal(pinnedIn([], pins("A", 1, 2), store), null);
});
