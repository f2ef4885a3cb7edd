// How unusual a weight is for a head: the share of the head's weights over a corpus that are lower.
import { weightOf } from "../shared/message.mjs";
import { unitsIn } from "../shared/ranges.mjs";
/** @import { Head, Message, Tensor, UnitExtras } from "../shared/types.mjs" */

/**
 * Quantiles of each head's weights over the corpus `source`: (L, H, targets, levels), for each target of a word's
 * attention and each of `levels`.
 * @typedef {Message<{ quantiles: Tensor<Uint16Array> }, { targets: string[], levels: number[], source: string }>} Quantiles
 */

/**
 * The target of a weight as the atlas counts it. Null for weights that it does not count: from a special token, across
 * sentences, to white space, and between parts of words.
 * @param {Pick<UnitExtras, "positions" | "b_start" | "special">} units @param {{ row: number, column: number }} cell
 * @param {readonly (number | null)[]} words of each token, null for special ones and white space
 */
export function targetOf({ positions, special, b_start: second }, { row, column }, words) {
  const [query, key] = [row, column].map((unit) => wordOf(positions[unit], words));
  if (typeof query !== "number") return null;
  if (row === column) return "itself";
  if (special[column]) return column === 0 ? "[CLS]" : "[SEP]";
  const together = second === null || row < second === column < second;
  return typeof key !== "number" || !together ? null : "another word";
}

/**
 * The index of a unit's word; null for a token of no word, undefined for a part of a word.
 * @param {readonly number[]} members the tokens of the unit
 * @param {readonly (number | null)[]} words
 */
function wordOf(members, words) {
  const word = words[members[0]];
  if (word === null || word === undefined) return word;
  return words.filter((other) => other === word).length === members.length ? word : undefined;
}

/**
 * The share of a head's weights below a weight, from 0 to 1; null if the corpus has none to compare with.
 * @param {Quantiles} quantiles @param {Head & { weight: number }} of @param {string} target
 */
export function shareBelow({ tensors, extras: { targets, levels } }, { layer, head, weight }, target) {
  const { shape, values } = tensors.quantiles;
  const first = ((layer * shape[1] + head) * targets.length + targets.indexOf(target)) * levels.length;
  const weights = unitsIn([0, levels.length]).map((index) => weightOf(values[first + index]));
  if (!weights.some((one) => one > 0)) return null;
  const above = weights.findIndex((one) => one >= weight);
  if (above < 0) return 1;
  if (above === 0) return 0;
  const [low, high] = [weights[above - 1], weights[above]].map((one) => Math.log(Math.max(one, Number.MIN_VALUE)));
  const part = high > low ? (Math.log(weight) - low) / (high - low) : 1;
  return levels[above - 1] + Math.min(Math.max(part, 0), 1) * (levels[above] - levels[above - 1]);
}

/** A share in percent, rounded down, so that only 1 becomes 100 %. @param {number} share */
export function percentOf(share) {
  const percent = 100 * share;
  if (share >= 1) return "100 %";
  return `${percent < 99 ? Math.floor(percent) : Math.floor(percent * 10) / 10} %`;
}
