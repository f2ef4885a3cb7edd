// The messages of a layer and of the map, as `viz/payloads` makes them, from what graphs return.
import { layerId } from "../../../components/shared/message.mjs";
/** @import { LayerMessage, Message, UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { Floats } from "./encoder.mjs" */

/**
 * A layer's attention.
 * @param {{ roots: { shape: number[], values: Uint16Array }, removed?: Floats }} shown (H, U, U), and (H, U) what queries
 *   give to hidden tokens
 * @param {UnitExtras} units @param {string} run @param {number} layer
 * @returns {LayerMessage}
 */
export function layerMessage({ roots: weights, ...removed }, units, run, layer) {
  const letters = /** @type {[string, string]} */ (["A", "B"]);
  const extras = { ...units, letters, numbers: [...units.labels.keys()], layer, id: layerId(run, layer) };
  return { tensors: { weights, ...removed }, extras };
}

/**
 * The queries and keys of a layer.
 * @param {{ query: Floats, key: Floats, removed?: Floats }} found (H, T, K) each; (H, U) as above, of wordpieces
 * @param {UnitExtras} units @param {string} run @param {number} layer
 */
export function neuronsMessage(found, units, run, layer) {
  const scaling = { shape: [], values: Float32Array.of(1 / Math.sqrt(found.query.shape[2])) };
  return { tensors: { ...found, scaling }, extras: { ...units, layer, id: layerId(run, layer) } };
}

/**
 * The measures of all heads.
 * @param {readonly Floats[]} layers (H, M) each @param {readonly string[]} measures their M names
 * @returns {Message<{ profiles: Floats }, { measures: readonly string[] }>} without an id
 */
export function mapMessage(layers, measures) {
  const values = Float32Array.from(layers.flatMap((layer) => [...layer.values]));
  return {
    tensors: { profiles: { shape: [layers.length, ...layers[0].shape], values } },
    extras: { measures, id: "" },
  };
}
