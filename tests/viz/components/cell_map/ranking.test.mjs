import assert from "node:assert/strict";
import { test } from "node:test";
import { layersInStore, rankedHeads } from "../../../../viz/components/cell_map/ranking.mjs";
import { keepMessage, storeOf } from "../../../../viz/components/shared/store.mjs";
/** @import { LayerMessage } from "../../../../viz/components/shared/types.mjs" */

/**
 * A layer of two heads and three units.
 * @param {number} layer
 * @param {readonly number[]} given the weight from the second unit to the third, by head
 */
function layerOf(layer, given) {
  const values = new Uint16Array(2 * 3 * 3);
  given.forEach((weight, head) => (values[head * 9 + 1 * 3 + 2] = Math.round(65535 * Math.sqrt(weight))));
  return /** @type {LayerMessage} */ (
    /** @type {unknown} */ ({ tensors: { weights: { shape: [2, 3, 3], values } }, extras: { id: "", layer } })
  );
}

test("heads are ranked by their weight between two units", () => {
  const layers = [layerOf(0, [0.25, 0.5]), layerOf(1, [0.81, 0.25])];
  assert.deepEqual(
    rankedHeads(layers, { row: 1, column: 2 }).map(({ layer, head, weight }) => [layer, head, weight.toFixed(3)]),
    [
      [1, 0, "0.810"],
      [0, 1, "0.500"],
      [0, 0, "0.250"],
      [1, 1, "0.250"],
    ],
  );
});

test("the cached layers are those of one run, in order", () => {
  const store = storeOf({});
  const [first, third] = [layerOf(0, [0, 0]), layerOf(2, [0, 0])];
  keepMessage(store, "b-L2", third, 1);
  keepMessage(store, "a-L0", layerOf(0, [1, 1]), 1);
  keepMessage(store, "b-L0", first, 1);
  assert.deepEqual(layersInStore("b", 3, store), [first, third]);
  assert.deepEqual(layersInStore("c", 3, store), []);
});
