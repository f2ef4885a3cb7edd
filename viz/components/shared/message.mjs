// @ts-check
// What Python sends in one message: arrays and their extras, in the layout of safetensors.
/** @import { Message, Tensor } from "./types.mjs" */

const ARRAYS = { U8: Uint8Array, U16: Uint16Array, I32: Int32Array, F32: Float32Array };
const STEPS = 65535; // of a quantised root

/**
 * @typedef {InstanceType<typeof ARRAYS[keyof typeof ARRAYS]>} Values
 * @typedef {{ dtype: keyof typeof ARRAYS, shape: number[], data_offsets: [number, number] }} Entry
 */

/**
 * The arrays of a message by name, and its extras, which are JSON.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Message<Record<string, Tensor<Values>>, object>}
 */
export function parseMessage(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const { __metadata__: metadata, ...rest } = header;
  const entries = /** @type {Record<string, Entry>} */ (rest);
  /** @type {Record<string, Tensor<Values>>} */
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(entries)) {
    const aligned = bytes.slice(start + offsets[0], start + offsets[1]);
    tensors[name] = { shape, values: new ARRAYS[dtype](aligned.buffer) };
  }
  return { tensors, extras: JSON.parse(metadata.extras) };
}

/** Weights are sent as round(65535 · √w), which keeps the digits of small ones. @param {number} quantised */
export function weightOf(quantised) {
  const root = quantised / STEPS;
  return root * root;
}
