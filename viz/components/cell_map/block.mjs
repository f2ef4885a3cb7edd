// The rendered block of a layer's square matrix. Rows and columns are always units of the whole text; a block only
// shifts where its cells appear.
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
 * @param {SentenceFilter} filter @param {number | null} bStart
 * @param {number} count of units
 * @returns {Block}
 */
export function blockOf(filter, bStart, count) {
  const [rows, columns] = sentenceRanges(filter, bStart, count);
  return { rows, columns };
}

/** The number of rows and columns of a block. @param {Block} block */
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
 * The nearest cell of a block; for an empty block, a cell outside it.
 * @param {Block} block @param {Cell} cell @returns {Cell}
 */
export function nearestIn({ rows, columns }, { row, column }) {
  return {
    row: Math.max(rows[0], Math.min(rows[1] - 1, row)),
    column: Math.max(columns[0], Math.min(columns[1] - 1, column)),
  };
}
