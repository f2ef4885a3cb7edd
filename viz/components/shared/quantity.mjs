// The quantity that a view renders: attention weights or another method's values (`viz/wording/quantities.py`). Values
// are sent as shares of the largest one, in planes: one for each head if the method separates heads, and one for the
// layer.
import { weightOf } from "./message.mjs";
import { MEAN, headName } from "./selection.mjs";
/** @import { Tensor } from "./types.mjs" */

/**
 * @typedef {object} Quantity
 * @property {string} name of the method
 * @property {string} symbol of a number
 * @property {"weight" | "share" | "norm" | "difference"} unit
 * @property {boolean} from_input whether values relate the input to the layer
 * @property {number} largest value, shown in the last colour
 * @property {number} heads with a plane each; 0 if the method does not separate heads
 * @property {number} model_heads of a layer
 */

/** @type {Readonly<Quantity>} of a message that names no quantity; its planes are the heads */
export const WEIGHTS = Object.freeze({
  ...{ name: "Weights", symbol: "attention weight", unit: "weight", from_input: false },
  ...{ largest: 1, heads: NaN, model_heads: NaN },
});

/** @type {Readonly<Record<Quantity["unit"], { one: string, many: string }>>} */
export const NOUNS = {
  weight: { one: "weight", many: "weights" },
  share: { one: "share", many: "shares" },
  norm: { one: "length", many: "lengths" },
  difference: { one: "difference", many: "differences" },
};

/** @param {object} extras of a message */
export function quantityOf(extras) {
  return /** @type {{ quantity?: Quantity }} */ (extras).quantity ?? WEIGHTS;
}

/** @param {Quantity} quantity */
export function isWeights({ unit }) {
  return unit === "weight";
}

/** @param {Quantity} quantity */
export function separatesHeads(quantity) {
  return isWeights(quantity) || quantity.heads > 0;
}

/** How many heads a layer has, separated or not. @param {Quantity} quantity @param {number} planes of a layer */
export function headsOf(quantity, planes) {
  return isWeights(quantity) ? planes : quantity.model_heads;
}

/**
 * The planes to average: all heads for the mean of weights, else one.
 * @param {number} head or MEAN
 * @param {number} planes of a layer
 * @param {Quantity} quantity @returns {[first: number, end: number]}
 */
export function planesOf(head, planes, quantity) {
  if (!isWeights(quantity) && (head === MEAN || !quantity.heads)) return [planes - 1, planes];
  return head === MEAN ? [0, planes] : [head, head + 1];
}

/**
 * One head's numbers of a layer as they are sent, or the mean of all heads in the same steps.
 * @template {Uint8Array | Uint16Array} Values
 * @param {Tensor<Values>} planes of a layer, quantised roots
 * @param {number} head or MEAN
 * @param {Quantity} [quantity]
 * @returns {Values}
 */
export function planeOf({ shape: [count], values }, head, quantity = WEIGHTS) {
  const size = values.length / count;
  const [first, end] = planesOf(head, count, quantity);
  if (end - first === 1) return /** @type {Values} */ (values.subarray(first * size, end * size));
  const sums = new Float64Array(size);
  for (let start = 0; start < values.length; start += size) {
    for (let cell = 0; cell < size; cell++) sums[cell] += values[start + cell] ** 2;
  }
  const means = /** @type {Values} */ (values.slice(0, size));
  for (let cell = 0; cell < size; cell++) means[cell] = Math.round(Math.sqrt(sums[cell] / count));
  return means;
}

/** @param {number} quantised as it is sent @param {Quantity} quantity */
export function numberOf(quantised, { largest }) {
  return weightOf(quantised) * largest;
}

/**
 * "L3 H7", "Norms, L3, heads together", or "GlobEnc, input to L3".
 * @param {Quantity} quantity @param {number} layer
 * @param {number} head or MEAN
 */
export function pictureName(quantity, layer, head) {
  if (isWeights(quantity)) return headName(layer, head);
  const { name, from_input: fromInput } = quantity;
  if (fromInput) return `${name}, input to L${layer}`;
  return `${name}, ${separatesHeads(quantity) ? headName(layer, head, "heads together") : `L${layer}`}`;
}

/** The file name of a saved picture, without extension. @param {{ title: string, quantity: Quantity }} scene */
export function fileName({ title, quantity }) {
  return `${isWeights(quantity) ? "attention-" : ""}${title}`.replace(/[^\w.-]+/g, "-");
}

/**
 * A number in full: four decimals of a share, three digits of a length.
 * @param {number} value @param {Quantity} quantity
 */
export function inFull(value, { unit }) {
  return unit === "norm" && value > 0 ? value.toPrecision(3) : value.toFixed(4);
}

/** A number short enough for a cell. @param {number} value @param {Quantity} quantity */
export function inCell(value, { largest }) {
  return value.toFixed(largest < 10 ? 2 : largest < 100 ? 1 : 0);
}

/** "attention weight 0.1234", or "‖α f(x)‖ = 1.37". @param {number} value @param {Quantity} quantity */
export function statement(value, quantity) {
  return `${quantity.symbol} ${isWeights(quantity) ? "" : "= "}${inFull(value, quantity)}`;
}

/**
 * The share of the model's biases in each row, (1, U); null if the method does not separate it.
 * @param {object} tensors of a layer's message
 */
export function biasesIn(tensors) {
  const { biases } = /** @type {{ biases?: { values: Float32Array } }} */ (tensors);
  return biases ? biases.values : null;
}

/**
 * A sentence about the biases, which have no column; "" without biases.
 * @param {Float32Array | null} biases @param {Quantity} quantity
 */
export function biasSentence(biases, quantity) {
  if (!biases?.length) return "";
  const [least, most] = [Math.min(...biases), Math.max(...biases)].map((value) => inFull(value, quantity));
  return (
    `The model's biases belong to no token and have no column: in each row their vector adds a length of ${least} to ` +
    `${most}.`
  );
}
