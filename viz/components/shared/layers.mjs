// @ts-check
// Splits a message of several layers into one message a layer, under ids that views know in advance.
/** @import { Message, Tensor } from "./types.mjs" */
/** @import { Values } from "./message.mjs" */

/** The id of a layer's message. @param {string} run @param {number} layer */
export function layerId(run, layer) {
  return `${run}-L${layer}`;
}

/**
 * The messages of single layers in a message of N layers, whose tensors begin with the axis N; they share its memory. A
 * message that names no layers is returned unchanged.
 * @param {Message<Record<string, Tensor<Values>>, { layers?: number[] }>} message
 * @returns {Message<Record<string, Tensor<Values>>, { layer?: number }>[]}
 */
export function layersIn({ tensors, extras }) {
  const { layers, ...shared } = extras;
  if (!layers) return [{ tensors, extras }];
  return layers.map((layer, index) => {
    const own = Object.entries(tensors).map(([name, { shape, values }]) => {
      const size = values.length / layers.length;
      return [name, { shape: shape.slice(1), values: values.subarray(index * size, (index + 1) * size) }];
    });
    return { tensors: Object.fromEntries(own), extras: { ...shared, layer, id: layerId(shared.id, layer) } };
  });
}
