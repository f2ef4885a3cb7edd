// Reads what Python sends in one message: arrays and their extras, in the layout of safetensors.
/** @import { Message, Tensor } from "./types.mjs" */

const ARRAYS = { U8: Uint8Array, U16: Uint16Array, I32: Int32Array, F32: Float32Array };
const STEPS = 65535; // of a quantised root

/**
 * @typedef {InstanceType<typeof ARRAYS[keyof typeof ARRAYS]>} Values
 * @typedef {{ dtype: keyof typeof ARRAYS, shape: number[], data_offsets: [number, number] }} Entry
 * @typedef {Record<string, Tensor<Values>>} Tensors
 * @typedef {Message<Tensors, { layers?: number[] }>} WholeMessage
 */

/** The id of a layer's message, which views know before it arrives. @param {string} run @param {number} layer */
export function layerId(run, layer) {
  return `${run}-L${layer}`;
}

/**
 * The arrays in some bytes, by name, and their extras, which are JSON. A message of N layers, whose arrays begin with the
 * axis N, becomes N messages that share its memory.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {(message: WholeMessage) => WholeMessage} [unpack] applied before the layers are split
 * @returns {{ id: string, messages: Message<Tensors, { layer?: number }>[] }}
 */
export function messagesIn(bytes, unpack = (message) => message) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const { __metadata__: metadata, ...rest } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const entries = Object.entries(/** @type {Record<string, Entry>} */ (rest));
  const arrays = entries.map(([name, { dtype, shape, data_offsets: offsets }]) => {
    const aligned = bytes.slice(start + offsets[0], start + offsets[1]);
    return [name, { shape, values: new ARRAYS[dtype](aligned.buffer) }];
  });
  const whole = unpack({ tensors: Object.fromEntries(arrays), extras: JSON.parse(metadata.extras) });
  const { layers, ...extras } = whole.extras;
  if (!layers) return { id: extras.id, messages: [{ tensors: whole.tensors, extras }] };
  const messages = layers.map((layer, index) => {
    const own = Object.entries(whole.tensors).map(([name, { shape, values }]) => {
      const size = values.length / layers.length;
      return [name, { shape: shape.slice(1), values: values.subarray(index * size, (index + 1) * size) }];
    });
    return { tensors: Object.fromEntries(own), extras: { ...extras, layer, id: layerId(extras.id, layer) } };
  });
  return { id: extras.id, messages };
}

/** Weights are sent as round(65535 · √w), which keeps the digits of small ones. @param {number} quantised */
export function weightOf(quantised) {
  const root = quantised / STEPS;
  return root * root;
}
