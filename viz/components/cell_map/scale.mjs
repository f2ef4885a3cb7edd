// @ts-check
// How weights become colours: the share of the colours that a weight has. Numbers do not depend on it.
/** @import { ScaleChoice } from "../shared/types.mjs" */

/**
 * `most` is the weight that has the last colour.
 * @typedef {{ kind: Exclude<ScaleChoice, "auto">, most: number }} Scale
 */

export const MOST_LINEAR = 64; // tokens of a text whose colours are linear where no scale was chosen

/** @type {readonly (readonly [choice: ScaleChoice, name: string])[]} what can be chosen */
export const SCALES = [
  ["auto", "weight: auto"],
  ["linear", "weight: linear, 0 to 1"],
  ["root", "weight: square root"],
  ["largest", "weight: up to the largest"],
];
const ROOT_TICKS = [0, 0.05, 0.25, 0.5, 1];

/**
 * @param {ScaleChoice} choice
 * @param {number} count of units in the text
 * @param {() => number} largestWeight of the picture
 * @returns {Scale}
 */
export function scaleOf(choice, count, largestWeight) {
  const kind = choice === "auto" ? automatic(count) : choice;
  return { kind, most: kind === "largest" ? largestWeight() || 1 : 1 };
}

/** @param {number} count of units in the text */
function automatic(count) {
  return count > MOST_LINEAR ? "root" : "linear";
}

/**
 * The share of the colours, from 0 to 1.
 * @param {Scale} scale
 * @param {number} weight
 */
export function shareOf({ kind, most }, weight) {
  return kind === "root" ? Math.sqrt(weight) : weight / most;
}

/**
 * The weights that are written beside the colours, and where each stands.
 * @param {Scale} scale
 * @returns {{ share: number, text: string }[]}
 */
export function ticksOf(scale) {
  const { kind, most } = scale;
  const weights = kind === "root" ? ROOT_TICKS : [0, most / 2, most];
  return weights.map((weight) => ({ share: shareOf(scale, weight), text: inDigits(weight) }));
}

/**
 * What the colours stand for, in a picture.
 * @param {Scale} scale
 */
export function captionOf({ kind }) {
  return kind === "root" ? "attention weight (√)" : "attention weight";
}

/**
 * What to know about the colours besides; nothing where they are linear from 0 to 1.
 * @param {Scale} scale
 * @param {ScaleChoice} choice that it follows from
 */
export function scaleNote({ kind, most }, choice) {
  if (kind === "linear") return "";
  if (kind === "largest") return `Colours end at ${inDigits(most)}, the largest weight here; elsewhere they differ. `;
  const why = choice === "auto" ? `, because the text has more than ${MOST_LINEAR} tokens` : "";
  return `Colours show the square root of the weights${why}. `;
}

/**
 * The name of the scale that follows from a text's length.
 * @param {number} count of units in the text
 */
export function automaticName(count) {
  return `weight: auto (${automatic(count) === "root" ? "square root" : "linear"})`;
}

/**
 * Three digits at most.
 * @param {number} weight
 */
function inDigits(weight) {
  return String(Number(weight.toPrecision(3)));
}
