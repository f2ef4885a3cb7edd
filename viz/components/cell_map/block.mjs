// @ts-check
// The block of a layer's square matrix that is drawn. Rows and columns are units of the whole text everywhere, so that
// a block changes only where its cells stand.
import { isIn, lengthOf, sentenceRanges } from "../shared/ranges.mjs";
import { NOTHING } from "../shared/selection.mjs";
/** @import { Range, SentenceFilter } from "../shared/types.mjs" */

/**
 * @typedef {{ rows: Range, columns: Range }} Block
 * @typedef {{ row: number, column: number }} Cell
 */

/** @type {Cell} */
export const NO_CELL = { row: NOTHING, column: NOTHING };

/**
 * The rows and columns that a filter such as "A→B" shows.
 * @param {SentenceFilter} filter
 * @param {number | null} bStart
 * @param {number} count of units
 * @returns {Block}
 */
export function blockOf(filter, bStart, count) {
  const [rows, columns] = sentenceRanges(filter, bStart, count);
  return { rows, columns };
}

/**
 * How many rows and columns a block has.
 * @param {Block} block
 */
export function sizeOf({ rows, columns }) {
  return { rows: lengthOf(rows), columns: lengthOf(columns) };
}

/** @param {Block} block */
export function hasNoCells({ rows, columns }) {
  return lengthOf(rows) * lengthOf(columns) === 0;
}

/** @param {Cell} one @param {Cell} other */
export function isSameCell(one, other) {
  return one.row === other.row && one.column === other.column;
}

/** @param {Block} block @param {Cell} cell */
export function inBlock({ rows, columns }, { row, column }) {
  return isIn(rows, row) && isIn(columns, column);
}

/**
 * The nearest cell of a block; a block of no cells gives one that is outside of it.
 * @param {Block} block
 * @param {Cell} cell
 * @returns {Cell}
 */
export function nearestIn({ rows, columns }, { row, column }) {
  return {
    row: Math.max(rows[0], Math.min(rows[1] - 1, row)),
    column: Math.max(columns[0], Math.min(columns[1] - 1, column)),
  };
}
