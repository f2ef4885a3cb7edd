// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { layerId, layersIn } from "../../../../viz/components/shared/layers.mjs";

test("a message of some layers becomes one of each, under the layer's id", () => {
  const weights = { shape: [2, 1, 2, 2], values: Uint16Array.of(1, 2, 3, 4, 5, 6, 7, 8) };
  const scaling = { shape: [2], values: Float32Array.of(0.5, 0.25) };
  const extras = { id: "run", layers: [3, 5], labels: ["a", "b"] };
  const [third, fifth] = layersIn({ tensors: { weights, scaling }, extras });
  assert.deepEqual(third.extras, { id: "run-L3", layer: 3, labels: ["a", "b"] });
  assert.equal(fifth.extras.id, layerId("run", 5));
  assert.deepEqual(fifth.tensors.weights.shape, [1, 2, 2]);
  assert.deepEqual([...third.tensors.weights.values], [1, 2, 3, 4]);
  assert.deepEqual([...fifth.tensors.weights.values], [5, 6, 7, 8]);
  assert.deepEqual([...fifth.tensors.scaling.values], [0.25]);
});

test("a message that names no layers is itself", () => {
  const message = { tensors: {}, extras: { id: "map" } };
  assert.deepEqual(layersIn(message), [message]);
});
