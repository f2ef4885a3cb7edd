// Maps weights to positions on the colour scale. The numbers shown do not depend on it.
import { NOUNS, WEIGHTS, isWeights } from "../shared/quantity.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { ScaleChoice } from "../shared/types.mjs" */

/**
 * `most` is the weight that has the last colour.
 * @typedef {{ kind: Exclude<ScaleChoice, "auto">, most: number }} Scale
 */

export const MOST_LINEAR = 64; // tokens up to which the automatic scale is linear

/** @type {readonly ScaleChoice[]} what can be chosen */
export const SCALES = ["auto", "linear", "root", "largest"];
const ROOT_TICKS = [0, 0.05, 0.25, 0.5, 1];

/**
 * @param {ScaleChoice} choice
 * @param {number} count of units in the text
 * @param {() => number} largestWeight of the picture
 * @param {Quantity} [quantity] whose largest value has the last colour, except with "largest"
 * @returns {Scale}
 */
export function scaleOf(choice, count, largestWeight, quantity = WEIGHTS) {
  const kind = choice === "auto" ? automatic(count, quantity) : choice;
  const whole = quantity.largest;
  return { kind, most: kind === "largest" ? largestWeight() || whole : whole };
}

/**
 * The automatic scale: quantities other than weights are mostly small next to the token's own value.
 * @param {number} count of units in the text
 * @param {Quantity} quantity
 */
function automatic(count, quantity) {
  return count > MOST_LINEAR || !isWeights(quantity) ? "root" : "linear";
}

/** The share of the colours, from 0 to 1. @param {Scale} scale @param {number} weight */
export function shareOf({ kind, most }, weight) {
  return kind === "root" ? Math.sqrt(weight / most) : weight / most;
}

/** The ticks of the colour bar. @param {Scale} scale @returns {{ share: number, text: string }[]} */
export function ticksOf(scale) {
  const { kind, most } = scale;
  const weights = kind === "root" ? ROOT_TICKS.map((share) => share * most) : [0, most / 2, most];
  return weights.map((weight) => ({ share: shareOf(scale, weight), text: inDigits(weight) }));
}

/** The caption of the colour bar. @param {Scale} scale @param {Quantity} [quantity] */
export function captionOf({ kind }, { symbol } = WEIGHTS) {
  return kind === "root" ? `${symbol} (√)` : symbol;
}

/**
 * A note on the colours; empty if they are linear from 0 to 1.
 * @param {Scale} scale
 * @param {ScaleChoice} choice that it follows from
 * @param {Quantity} [quantity]
 */
export function scaleNote({ kind, most }, choice, quantity = WEIGHTS) {
  const { one, many } = NOUNS[quantity.unit];
  if (kind === "largest") return `Colours end at ${inDigits(most)}, the largest ${one} here; elsewhere they differ. `;
  const end =
    quantity.unit === "norm" ? `Colours end at ${inDigits(most)}, the largest length in any layer here. ` : "";
  if (kind === "linear") return end;
  const why =
    choice === "auto" && isWeights(quantity) ? `, because a text here has more than ${MOST_LINEAR} tokens` : "";
  return `${end}Colours show the square root of the ${many}${why}. `;
}

/**
 * The name of a scale in the menu.
 * @param {ScaleChoice} choice
 * @param {number} count of units in the text
 * @param {Quantity} [quantity]
 */
export function scaleName(choice, count, quantity = WEIGHTS) {
  const most = isWeights(quantity) ? "1" : inDigits(quantity.largest);
  const names = { linear: `0 to ${most}`, root: "square root", largest: "up to the largest" };
  const name = choice === "auto" ? `automatic (${names[automatic(count, quantity)]})` : names[choice];
  return `Colour scale: ${name}`;
}

/** Three digits at most. @param {number} weight */
function inDigits(weight) {
  return String(Number(weight.toPrecision(3)));
}
