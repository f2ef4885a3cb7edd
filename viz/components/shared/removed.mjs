// The note about attention to hidden tokens and to sinks.
import { element } from "./elements.mjs";
import { WEIGHTS, planesOf, isWeights } from "./quantity.mjs";
/** @import { Quantity } from "./quantity.mjs" */
/** @import { Special, Tensor } from "./types.mjs" */

/** A line under the picture, hidden while every token is shown and rows add up to 1. */
export class RemovedNote {
  constructor() {
    this.root = element("p", "removed");
    this.text = element("span");
    this.hidden = element("b", "", "Special tokens are hidden.");
    this.sink = element("span");
    this.root.append(this.hidden, this.text, this.sink);
    this.root.hidden = true;
  }

  /**
   * @param {object} tensors of a message; the one named `removed` is what each query gives to hidden tokens, (H, U),
   *   and "sink" what it gives to the sink of a head
   * @param {readonly number[]} heads that are drawn; [MEAN] for their mean
   * @param {{ special: Special, removed?: string, hasSink?: boolean }} data @param {Quantity} [quantity]
   */
  show(tensors, heads, { special, removed = "removed", hasSink = false }, quantity = WEIGHTS) {
    const { [removed]: tensor, sink } = /** @type {Record<string, Tensor<Float32Array> | undefined>} */ (tensors);
    const isHiding = special !== "show" && tensor;
    this.hidden.hidden = !isHiding;
    this.text.textContent = isHiding ? ` ${sentenceOf(tensor, heads, special, quantity)} ` : "";
    this.sink.textContent = sink ? sinkSentence(sink, heads, hasSink) : "";
    this.root.hidden = !isHiding && !sink;
  }
}

/**
 * The share of their attention (or of another quantity) that shown tokens give to hidden ones: for one head, for the
 * mean, or over all heads.
 * @param {Tensor<Float32Array>} removed (H, U)
 * @param {readonly number[]} heads @param {Special} special @param {Quantity} [quantity]
 */
export function sentenceOf(removed, heads, special, quantity = WEIGHTS) {
  const { average, between } = shareOf(removed, heads, quantity);
  if (quantity.unit === "norm") {
    return `${average} of the lengths in a row ${between} is theirs. Lengths are not shares, so the rows stay as they are.`;
  }
  const rest = special === "renormalise" ? "scaled to add up to 1 again" : "left as they are and add up to the rest";
  const what = isWeights(quantity) ? "attention" : "shares";
  return `They receive ${average} of the ${what} of the tokens shown ${between}. The rows are ${rest}.`;
}

/**
 * The share of attention that goes to the sinks of heads.
 * @param {Tensor<Float32Array>} sink (H, U) @param {readonly number[]} heads
 * @param {boolean} hasColumn whether the picture shows it
 */
export function sinkSentence(sink, heads, hasColumn) {
  const { average, between } = shareOf(sink, heads, WEIGHTS);
  const where = hasColumn ? "It is the last column." : "It is not in the picture: rows add up to the rest.";
  return `The sink, which is no token, receives ${average} of the attention of the tokens shown ${between}. ${where}`;
}

/**
 * The mean of the shares of the tokens shown, and their range.
 * @param {Tensor<Float32Array>} shares (H, U) @param {readonly number[]} heads @param {Quantity} quantity
 */
function shareOf({ shape: [count, units], values }, heads, quantity) {
  const isOne = heads.length === 1;
  const separate = isWeights(quantity) || !quantity.heads ? count : quantity.heads;
  const [first, end] = isOne ? planesOf(heads[0], count, quantity) : [0, separate];
  const planes = Array.from({ length: end - first }, (_, index) => first + index);
  /** @param {number} unit */
  const mean = (unit) => planes.reduce((sum, one) => sum + values[one * units + unit], 0) / planes.length;
  const shares = isOne
    ? Array.from({ length: units }, (_, unit) => mean(unit))
    : [...values.subarray(0, separate * units)];
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map(percent);
  const average = percent(shares.reduce((sum, share) => sum + share, 0) / shares.length);
  return { average, between: `(between ${least} and ${most}${isOne ? "" : ", over all heads"})` };
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(0)} %`;
}
