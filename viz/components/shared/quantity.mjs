// @ts-check
// What a picture's numbers are: attention weights, or what another method gives (`viz/wording/quantities.py`). They are sent as
// shares of the largest one, in planes: one for each head where heads are told apart, and one for the whole layer.
import { weightOf } from "./message.mjs";
import { MEAN, headName } from "./selection.mjs";

/**
 * @typedef {object} Quantity
 * @property {string} name of the method
 * @property {string} symbol of a number
 * @property {"weight" | "share" | "norm" | "difference"} unit
 * @property {boolean} from_input whether the picture leads from the input to its layer
 * @property {number} largest value, which the last colour stands for
 * @property {number} heads that have planes; 0 where heads are not told apart
 * @property {number} model_heads of a layer
 */

/** @type {Readonly<Quantity>} where a message names nothing else; its planes are the heads */
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
export function tellsHeads(quantity) {
  return isWeights(quantity) || quantity.heads > 0;
}

/**
 * How many heads a layer has, whether they are told apart or not.
 * @param {Quantity} quantity
 * @param {number} planes of a layer
 */
export function headsOf(quantity, planes) {
  return isWeights(quantity) ? planes : quantity.model_heads;
}

/**
 * The planes of which a head's picture is the mean: all heads' for the mean of weights, else always one.
 * @param {number} head or MEAN
 * @param {number} planes of a layer
 * @param {Quantity} quantity
 * @returns {[first: number, end: number]}
 */
export function planesOf(head, planes, quantity) {
  if (!isWeights(quantity) && (head === MEAN || !quantity.heads)) return [planes - 1, planes];
  return head === MEAN ? [0, planes] : [head, head + 1];
}

/**
 * @param {number} quantised as it is sent
 * @param {Quantity} quantity
 */
export function numberOf(quantised, { largest }) {
  return weightOf(quantised) * largest;
}

/**
 * "L3 H7", "Norms, L3, heads together", or "GlobEnc, input to L3".
 * @param {Quantity} quantity
 * @param {number} layer
 * @param {number} head or MEAN
 */
export function pictureName(quantity, layer, head) {
  if (isWeights(quantity)) return headName(layer, head);
  const { name, from_input: fromInput } = quantity;
  if (fromInput) return `${name}, input to L${layer}`;
  return `${name}, ${tellsHeads(quantity) ? headName(layer, head, "heads together") : `L${layer}`}`;
}

/**
 * The name of the file that a picture is saved in, without its ending.
 * @param {{ title: string, quantity: Quantity }} scene
 */
export function fileName({ title, quantity }) {
  return `${isWeights(quantity) ? "attention-" : ""}${title}`.replace(/[^\w.-]+/g, "-");
}

/**
 * A number in full: four decimals of a share, three digits of a length.
 * @param {number} value
 * @param {Quantity} quantity
 */
export function inFull(value, { unit }) {
  return unit === "norm" && value > 0 ? value.toPrecision(3) : value.toFixed(4);
}

/**
 * A number as short as it fits into a cell.
 * @param {number} value
 * @param {Quantity} quantity
 */
export function inCell(value, { largest }) {
  return value.toFixed(largest < 10 ? 2 : largest < 100 ? 1 : 0);
}

/**
 * "attention weight 0.1234", or "‖α f(x)‖ = 1.37".
 * @param {number} value
 * @param {Quantity} quantity
 */
export function statement(value, quantity) {
  return `${quantity.symbol} ${isWeights(quantity) ? "" : "= "}${inFull(value, quantity)}`;
}

/**
 * What the biases of the model have of each row, (1, U), where a method tells it apart; null where none does.
 * @param {object} tensors of a layer's message
 */
export function biasesIn(tensors) {
  const { biases } = /** @type {{ biases?: { values: Float32Array } }} */ (tensors);
  return biases ? biases.values : null;
}

/**
 * What is said of the biases, which have no column; "" where there are none.
 * @param {Float32Array | null} biases
 * @param {Quantity} quantity
 */
export function biasSentence(biases, quantity) {
  if (!biases?.length) return "";
  const [least, most] = [Math.min(...biases), Math.max(...biases)].map((value) => inFull(value, quantity));
  return (
    `The model's biases belong to no token and have no column: in each row their vector adds a length of ${least} to ` +
    `${most}.`
  );
}
