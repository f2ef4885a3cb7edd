// @ts-check
// What is said of the attention that goes to tokens that a picture hides.
import { element } from "./elements.mjs";
import { MEAN } from "./selection.mjs";
/** @import { Special, Tensor } from "./types.mjs" */

/** A line under the picture, which is hidden where every token is shown. */
export class RemovedNote {
  constructor() {
    this.root = element("p", "removed");
    this.text = element("span");
    this.root.append(element("b", "", "Special tokens are hidden."), this.text);
    this.root.hidden = true;
  }

  /**
   * @param {object} tensors of a message; the one of that name is what each query gives to hidden tokens, (H, U)
   * @param {readonly number[]} heads that are drawn; [MEAN] for their mean
   * @param {{ special: Special, removed?: string }} data
   */
  show(tensors, heads, { special, removed = "removed" }) {
    const tensor = /** @type {Record<string, Tensor<Float32Array> | undefined>} */ (tensors)[removed];
    this.root.hidden = special === "show" || !tensor;
    if (tensor) this.text.textContent = ` ${sentenceOf(tensor, heads, special)}`;
  }
}

/**
 * How much of their attention the shown tokens give to hidden ones: in one head, in the mean of all, or in all of them.
 * @param {Tensor<Float32Array>} removed (H, U)
 * @param {readonly number[]} heads
 * @param {Special} special
 */
export function sentenceOf({ shape: [count, units], values }, heads, special) {
  const [head] = heads;
  const counted = heads.length === 1 && head !== MEAN ? [head] : Array.from({ length: count }, (_, index) => index);
  /** @param {number} unit */
  const mean = (unit) => counted.reduce((sum, one) => sum + values[one * units + unit], 0) / counted.length;
  const isOne = heads.length === 1;
  const shares = isOne ? Array.from({ length: units }, (_, unit) => mean(unit)) : [...values];
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map(percent);
  const average = percent(shares.reduce((sum, share) => sum + share, 0) / shares.length);
  const rest = special === "renormalise" ? "scaled to sum to 1 again" : "left as they are and sum to the rest";
  return (
    `They receive ${average} of the attention of the tokens shown (between ${least} and ${most}` +
    `${isOne ? "" : ", all heads counted"}). The rows are ${rest}.`
  );
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(0)}%`;
}
