// Ranges [from, to) of units: rows, columns, or the tokens of one side.
import { NOTHING } from "./selection.mjs";
/** @import { Range, SentenceFilter } from "./types.mjs" */

/** @param {number} value @param {number} low @param {number} high wins if it is below `low` */
export function clamped(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/**
 * The units of the queries and those of the keys: all, or the sentences that a filter such as "A→B" names.
 * @param {SentenceFilter} filter
 * @param {number | null} bStart sentence B's first unit; null without a second sentence
 * @param {number} count of units
 * @returns {[queries: Range, keys: Range]}
 */
export function sentenceRanges(filter, bStart, count) {
  if (filter === "all" || bStart === null) {
    return [
      [0, count],
      [0, count],
    ];
  }
  const [queries, keys] = filter.split("→").map((letter) => letter === "B");
  /** @type {(isB: boolean) => Range} */
  const range = (isB) => (isB ? [bStart, count] : [0, bStart]);
  return [range(queries), range(keys)];
}

/** @param {Range} range @param {number} unit */
export function isIn([from, to], unit) {
  return unit >= from && unit < to;
}

/** @param {Range} range */
export function lengthOf([from, to]) {
  return to - from;
}

/** All units of a range, in order. @param {Range} range */
export function unitsIn([from, to]) {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/**
 * The part of a range whose units exist.
 * @param {Range} range
 * @param {number | null} [until] how many units exist so far; default: all
 * @returns {Range}
 */
export function existingOf([from, to], until) {
  return [from, Math.max(from, Math.min(to, until ?? to))];
}

/**
 * The unit that contains a token position, or NOTHING.
 * @param {readonly number[][]} positions of each unit's tokens
 * @param {number} position
 */
export function unitOf(positions, position) {
  return position < 0 ? NOTHING : positions.findIndex((members) => members.includes(position));
}
