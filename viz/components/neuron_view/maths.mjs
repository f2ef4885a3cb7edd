// What a head computes: attention from queries, keys, scaling and bias.
import { isIn, sentenceRanges, unitsIn } from "../shared/ranges.mjs";
/** @import { Message, SentenceFilter, Tensor, UnitExtras } from "../shared/types.mjs" */

/**
 * A message of one layer: queries and keys of (H, T, K), their scaling, and a bias of (H, T, T) where there is one. Of
 * an excerpt of a longer text, `within` of (H, T) is the share of a query's attention that the excerpt's tokens receive,
 * `first` the position of its first token, and `of` the number of tokens of the text.
 * @typedef {Record<"query" | "key" | "scaling", Tensor<Float32Array>>} NeuronTensors
 * @typedef {Partial<Record<"bias" | "within", Tensor<Float32Array>>>} OptionalTensors
 * @typedef {UnitExtras & { layer: number, first?: number, of?: number }} NeuronExtras
 * @typedef {Message<NeuronTensors & OptionalTensors, NeuronExtras>} NeuronMessage
 */

/**
 * A head as the view uses it; arrays are flat, row by row.
 * @typedef {object} HeadArrays
 * @property {number} head
 * @property {number} scaling
 * @property {number} length T, how many tokens the text has
 * @property {number} width K, how many dimensions the head has
 * @property {Float32Array} query
 * @property {Float32Array} key
 * @property {Float32Array | null} bias
 * @property {Float32Array | null} within
 * @property {number} limit that ends the colours of queries and keys
 * @typedef {NeuronMessage["extras"] & HeadArrays} Head
 */

/**
 * The attention of one query: products of (T, K), and for every key a dot product, a score and a weight.
 * @typedef {{ products: Float32Array, dots: Float64Array, scores: Float64Array, weights: Float64Array }} Attended
 */

/** @param {NeuronMessage} message @param {number} head @returns {Head} */
export function headOf({ tensors, extras }, head) {
  const [, length, width] = tensors.query.shape;
  /** @param {Tensor<Float32Array>} tensor */
  const own = ({ shape, values }) => {
    const size = values.length / shape[0];
    return values.subarray(head * size, (head + 1) * size);
  };
  const [query, key] = [own(tensors.query), own(tensors.key)];
  const [bias, within] = [tensors.bias, tensors.within].map((tensor) => (tensor ? own(tensor) : null));
  const [scaling] = tensors.scaling.values;
  return { ...extras, ...{ head, length, width, query, key, bias, within, scaling }, limit: limitOf(query, key) };
}

/** Caches the last head, so that scenes can compare heads by identity. */
export class CachedHead {
  /** @type {{ message: NeuronMessage, head: Head } | null} */
  #last = null;

  /** @param {NeuronMessage} message @param {number} head */
  of(message, head) {
    const isSame = this.#last?.message === message && this.#last.head.head === head;
    if (!this.#last || !isSame) this.#last = { message, head: headOf(message, head) };
    return this.#last.head;
  }
}

/** softmax of scores; without any attendable key every weight is 0. @param {Float64Array} scores */
export function softmax(scores) {
  const largest = scores.reduce((most, score) => Math.max(most, score), -Number.MAX_VALUE);
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return total > 0 ? powers.map((power) => power / total) : powers;
}

/** @param {Head} head @param {number} query @returns {Attended} */
export function attend(head, query) {
  const { length, width } = head;
  const products = new Float32Array(length * width);
  const dots = new Float64Array(length);
  for (let key = 0; key < length; key++) {
    for (let dimension = 0; dimension < width; dimension++) {
      const index = key * width + dimension;
      const product = head.query[query * width + dimension] * head.key[index];
      products[index] = product;
      dots[key] += product;
    }
  }
  const scores = dots.map((dot, key) => dot * head.scaling + biasOf(head, query, key));
  const share = head.within ? head.within[query] : 1;
  return { products, dots, scores, weights: softmax(scores).map((weight) => share * weight) };
}

/** @param {Pick<Head, "bias" | "length">} head @param {number} query @param {number} key */
export function biasOf({ bias, length }, query, key) {
  return bias ? bias[query * length + key] : 0;
}

const WITHIN = 0.98; // of all values: a few outliers would make all others pale

/**
 * The size that ends a colour scale on both sides: all but the largest 2 % lie within it; never 0.
 * @param {...ArrayLike<number>} arrays
 */
export function limitOf(...arrays) {
  const sizes = new Float32Array(arrays.reduce((sum, values) => sum + values.length, 0));
  let filled = 0;
  for (const values of arrays) {
    for (let index = 0; index < values.length; index++) sizes[filled++] = Math.abs(values[index]);
  }
  sizes.sort();
  return sizes[Math.floor(WITHIN * (sizes.length - 1))] || sizes[sizes.length - 1] || 1;
}

/**
 * Positions of the queries and keys to show.
 * @param {Pick<Head, "length" | "special" | "b_start">} head
 * @param {{ hidden: boolean, sentences: SentenceFilter }} options `hidden` leaves out special tokens
 */
export function shownPositions({ length, special, b_start: bStart }, { hidden, sentences }) {
  const [queries, keys] = sentenceRanges(sentences, bStart, length);
  const positions = unitsIn([0, length]).filter((position) => !(hidden && special[position]));
  return {
    queries: positions.filter((position) => isIn(queries, position)),
    keys: positions.filter((position) => isIn(keys, position)),
  };
}

/**
 * The first of the preferred queries that is shown, else the first token that is not special, else the first token.
 * @param {readonly number[]} queries @param {readonly boolean[]} special @param {readonly number[]} preferred
 * @returns {number | undefined} undefined without queries
 */
export function chosenQuery(queries, special, preferred) {
  const isShown = (/** @type {number} */ position) => queries.includes(position);
  return preferred.find(isShown) ?? queries.find((position) => !special[position]) ?? queries[0];
}

/**
 * Keys as the rows show them, by position or with the largest weight first.
 * @param {number[]} keys @param {ArrayLike<number>} weights @param {boolean} byWeight
 */
export function keyOrder(keys, weights, byWeight) {
  return byWeight ? [...keys].sort((one, other) => weights[other] - weights[one] || one - other) : keys;
}

/** @param {readonly number[]} keys @param {ArrayLike<number>} weights */
export function strongest(keys, weights) {
  return keys.reduce((best, key) => (weights[key] > weights[best] ? key : best), keys[0]);
}

/**
 * Dimensions of one key, those with the largest |product| first.
 * @param {ArrayLike<number>} products @param {number} key @param {number} width
 */
export function dimensionsBySize(products, key, width) {
  /** @param {number} dimension */
  const size = (dimension) => Math.abs(products[key * width + dimension]);
  return unitsIn([0, width]).sort((one, other) => size(other) - size(one) || one - other);
}

/**
 * The weights to show, and the softmax mass of the hidden keys.
 * @param {Float64Array} weights
 * @param {readonly number[]} keys that are shown
 * @param {readonly boolean[]} special
 * @param {boolean} renormalise scale the weights of ordinary tokens so that they sum to 1
 */
export function shownWeights(weights, keys, special, renormalise) {
  const missing = Math.max(0, 1 - keys.reduce((sum, key) => sum + weights[key], 0));
  if (!renormalise) return { shares: weights, missing };
  const kept = weights.reduce((sum, weight, key) => sum + (special[key] ? 0 : weight), 0);
  return { shares: kept > 0 ? weights.map((weight) => weight / kept) : weights.map(() => 0), missing };
}
