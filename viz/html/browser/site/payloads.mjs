// The messages of a layer and of the map, as `viz/payloads` makes them, from what the encoder's parts return.
import { layerId } from "../../../components/shared/message.mjs";
/** @import { LayerMessage, Message, Tensor, UnitExtras } from "../../../components/shared/types.mjs" */

/** @typedef {Tensor<Float32Array>} Floats */

const STEPS = 65535; // of a quantised root
const SMALLEST = 2 ** -126; // the smallest normal number in 32 bits

/**
 * A layer's attention.
 * @param {{ weights: Floats, removed?: Floats }} shown (H, U, U), and (H, U) what queries give to hidden tokens
 * @param {UnitExtras} units @param {string} run @param {number} layer
 * @returns {LayerMessage}
 */
export function layerMessage({ weights: { shape, values }, ...removed }, units, run, layer) {
  const roots = new Uint16Array(values.length);
  for (let index = 0; index < values.length; index += 1) {
    roots[index] = rounded(Math.fround(Math.fround(Math.sqrt(values[index])) * STEPS));
  }
  const numbers = units.labels.map((_, index) => index);
  const extras = { ...units, letters: /** @type {[string, string]} */ (["A", "B"]), numbers, layer };
  const tensors = { weights: { shape, values: roots }, ...removed };
  return { tensors, extras: { ...extras, id: layerId(run, layer) } };
}

/** To the nearest whole number, and to the even one of two, as NumPy does. @param {number} number */
function rounded(number) {
  const up = Math.round(number);
  return up - number === 0.5 && up % 2 ? up - 1 : up;
}

/**
 * The queries and keys of a layer.
 * @param {{ query: Floats, key: Floats, removed?: Floats }} found (H, T, K) each; (H, U) as above, of wordpieces
 * @param {UnitExtras} units @param {string} run @param {number} layer
 */
export function neuronsMessage({ query, key, ...removed }, units, run, layer) {
  const scaling = { shape: [], values: Float32Array.of(1 / Math.sqrt(query.shape[2])) };
  return { tensors: { query, key, scaling, ...removed }, extras: { ...units, layer, id: layerId(run, layer) } };
}

/**
 * The measures of all heads: entropy in bits, and the shares to separators, to itself, to the previous and to the next
 * token, in the order of `viz/payloads/model_map.py`.
 * @param {readonly Floats[]} layers (H, T, T) weights of each
 * @param {UnitExtras} units
 * @param {readonly string[]} measures their names
 * @returns {Message<{ profiles: Floats }, { measures: readonly string[] }>} without an id
 */
export function mapMessage(layers, { special }, measures) {
  const profiles = layers.flatMap(({ shape: [heads, tokens], values }) =>
    Array.from({ length: heads }, (_, head) =>
      profileOf(values.subarray(head * tokens * tokens, (head + 1) * tokens * tokens), special),
    ),
  );
  const shape = [layers.length, layers[0].shape[0], measures.length];
  return { tensors: { profiles: { shape, values: Float32Array.from(profiles.flat()) } }, extras: { measures, id: "" } };
}

/** @param {Float32Array} weights (T, T) of a head @param {readonly boolean[]} special */
function profileOf(weights, special) {
  const tokens = special.length;
  let [bits, separators, itself, previous, next] = [0, 0, 0, 0, 0];
  for (let query = 0, index = 0; query < tokens; query += 1) {
    for (let key = 0; key < tokens; key += 1, index += 1) {
      const weight = weights[index];
      if (weight > SMALLEST) bits -= weight * Math.log2(weight);
      if (special[key] && key > 0) separators += weight;
      if (key === query) itself += weight;
      else if (key === query - 1) previous += weight;
      else if (key === query + 1) next += weight;
    }
  }
  return [bits, separators, itself, previous, next].map((sum) => sum / tokens);
}
