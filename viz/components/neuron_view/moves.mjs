// @ts-check
// Small moves: of a choice through a list, of a scroll position.
import { clamped } from "../shared/ranges.mjs";

/**
 * The neighbour of a member of a list; the last one has itself.
 * @param {readonly number[]} list
 * @param {number} member
 * @param {number} step
 */
export function neighbour(list, member, step) {
  return list[clamped(list.indexOf(member) + step, 0, list.length - 1)];
}

/**
 * The scroll position nearest to the present one at which all of a part is seen.
 * @param {number} top
 * @param {number} height of what is seen at once
 * @param {number} start of the part
 * @param {number} size of the part
 */
export function scrolledTo(top, height, start, size) {
  return Math.max(Math.min(top, start), start + size - height);
}
