// @ts-check
// The colours of a grid of numbers.
import { contrastOf, hexOf, ramp } from "../../components/shared/colour.mjs";
/** @import { DataTheme } from "../../components/shared/types.mjs" */
/** @import { NumberGrid } from "./contents.mjs" */

const [BLACK, WHITE] = ["#000000", "#ffffff"];

/**
 * The colours from the low end of a grid's range to its high end.
 * @param {NumberGrid} grid
 * @param {DataTheme} theme
 */
export function coloursOfGrid({ signed }, theme) {
  return ramp(signed ? theme.diverging : theme.sequential).map(hexOf);
}

/**
 * The colour of a number.
 * @param {number} value
 * @param {NumberGrid} grid
 * @param {readonly string[]} colours
 */
export function colourIn(value, { range: [low, high] }, colours) {
  const share = high > low ? (value - low) / (high - low) : 0;
  return colours[Math.round(Math.min(Math.max(share, 0), 1) * (colours.length - 1))];
}

/**
 * The colour of a number that is read on another colour, which the page's own colours are not dark and light enough for.
 * @param {string} fill
 */
export function inkOn(fill) {
  return contrastOf(fill, BLACK) > contrastOf(fill, WHITE) ? BLACK : WHITE;
}
