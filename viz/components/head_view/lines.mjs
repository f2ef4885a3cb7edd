// Picks the lines that a head view renders. Weights are the store's, q = round(65535 · √w), so that q / 65535 is √w.
import { weightOf } from "../shared/message.mjs";
import { NOUNS, WEIGHTS, isWeights } from "../shared/quantity.mjs";
import { lengthOf } from "../shared/ranges.mjs";
import { MEAN } from "../shared/selection.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Range, Selection, SelectionChanges } from "../shared/types.mjs" */

/**
 * Two sides, 0 with the queries and 1 with the keys.
 * @typedef {0 | 1} Side
 * @typedef {readonly [queries: Range, keys: Range]} Ranges
 */

/**
 * Cells (query · size + key), the strongest bucket first: bucket b's are cells[starts[b]] to before
 * cells[starts[b + 1]].
 * @typedef {{ cells: Uint32Array, starts: Uint32Array }} Buckets
 */

export const BUCKETS = 32; // steps of opacity: one stroke each is many times faster than one per line
export const FEW_HEADS = 3; // up to which faint lines are distinguishable
const STEP = 65536 / BUCKETS;
const SHORT_TEXT = 64; // units up to which every visible line is rendered by default

/** Rules for lines: a threshold as a share of the largest value, the largest of each row, or all. */
export const RULES = ["0.01", "0.02", "0.05", "0.1", "top 1", "top 4", "top 8", "every"];

/** The name of a rule. @param {string} rule @param {Quantity} [quantity] */
export function ruleName(rule, { unit, largest: most } = WEIGHTS) {
  if (rule === "every") return "every line";
  if (rule.startsWith("top ")) return `${rule} per row`;
  return most === 1 ? `${NOUNS[unit].many} ≥ ${rule}` : `≥ ${rule} of the largest`;
}

/**
 * The default rule; few values of other quantities than weights are near zero.
 * @param {number} units @param {Quantity} [quantity]
 */
export function usualRule(units, quantity = WEIGHTS) {
  return units <= SHORT_TEXT && isWeights(quantity) ? "0.01" : "top 4";
}

/**
 * A rule as a number of lines a row, or as the smallest q.
 * @param {string} rule @returns {{ top: number } | { least: number }}
 */
export function parsedRule(rule) {
  if (rule.startsWith("top ")) return { top: Number(rule.slice(4)) };
  return { least: rule === "every" ? 0 : Math.round(65535 * Math.sqrt(Number(rule))) };
}

/**
 * The heads that a selection shows: numbers, or [MEAN].
 * @param {Pick<Selection, "head" | "heads">} selection
 * @param {number} count of heads
 */
export function shownHeads({ head, heads }, count) {
  if (heads === "all") return Array.from({ length: count }, (_, index) => index);
  if (heads === "none") return [];
  return heads
    ? heads
        .split(".")
        .map(Number)
        .filter((index) => index < count)
    : [head];
}

/**
 * The heads to render; the whole layer if the quantity does not separate heads.
 * @param {Pick<Selection, "head" | "heads">} selection
 * @param {number} planes of a layer
 * @param {Quantity} quantity
 */
export function drawnHeads(selection, planes, quantity) {
  if (isWeights(quantity)) return shownHeads(selection, planes);
  return quantity.heads ? shownHeads(selection, quantity.heads) : [MEAN];
}

/**
 * The change that shows these heads; a single head becomes the page's head.
 * @param {readonly number[]} shown
 * @param {number} count of heads
 * @returns {SelectionChanges}
 */
export function headsChange(shown, count) {
  const heads = [...new Set(shown)].filter((head) => head !== MEAN).sort((one, other) => one - other);
  if (heads.length === 1) return { head: heads[0], heads: "" };
  if (heads.length === 0 || heads.length === count) return { heads: heads.length ? "all" : "none" };
  return { heads: heads.join(".") };
}

/**
 * The change that adds a head to those shown, or removes it.
 * @param {readonly number[]} shown @param {number} head
 * @param {number} count of heads
 */
export function toggled(shown, head, count) {
  return headsChange(shown.includes(head) ? shown.filter((one) => one !== head) : [...shown, head], count);
}

/**
 * The columns of a row's largest weights, largest first, without zeros.
 * @param {Uint16Array} plane
 * @param {number} row index of the row's first cell
 * @param {Range} columns
 * @param {number} count how many columns at most
 * @param {Uint32Array} best where the columns are written
 * @returns {number} how many there are
 */
export function strongestColumns(plane, row, [from, to], count, best) {
  let found = 0;
  for (let column = from; column < to; column++) {
    const weight = plane[row + column];
    if (weight === 0 || (found === count && weight <= plane[row + best[found - 1]])) continue;
    let place = found < count ? found++ : found - 1;
    for (; place > 0 && plane[row + best[place - 1]] < weight; place--) best[place] = best[place - 1];
    best[place] = column;
  }
  return found;
}

/**
 * The cells to render.
 * @param {Uint16Array} plane
 * @param {number} size how many units the text has
 * @param {Ranges} ranges @param {string} rule
 */
export function pickedCells(plane, size, ranges, rule) {
  const parsed = parsedRule(rule);
  const found =
    "top" in parsed ? topCells(plane, size, ranges, parsed.top) : cellsFrom(plane, size, ranges, parsed.least);
  return byStrength(found, plane);
}

/**
 * The strongest cells of every row.
 * @param {Uint16Array} plane @param {number} size @param {Ranges} ranges
 * @param {number} top how many of a row at most
 */
function topCells(plane, size, [queries, keys], top) {
  const found = new Uint32Array(lengthOf(queries) * Math.min(top, keys[1]));
  const best = new Uint32Array(top);
  let count = 0;
  for (let query = queries[0]; query < queries[1]; query++) {
    const row = query * size;
    const most = strongestColumns(plane, row, keys, top, best);
    for (let index = 0; index < most; index++) found[count++] = row + best[index];
  }
  return found.subarray(0, count);
}

/**
 * All cells of at least some weight.
 * @param {Uint16Array} plane @param {number} size @param {Ranges} ranges @param {number} least
 */
function cellsFrom(plane, size, [queries, keys], least) {
  const found = new Uint32Array(lengthOf(queries) * lengthOf(keys));
  let count = 0;
  for (let query = queries[0]; query < queries[1]; query++) {
    const row = query * size;
    for (let key = keys[0]; key < keys[1]; key++) if (plane[row + key] >= least) found[count++] = row + key;
  }
  return found.subarray(0, count);
}

/** The bucket of a weight, 0 the strongest. @param {number} quantised */
const bucketOf = (quantised) => BUCKETS - 1 - Math.floor(quantised / STEP);

/** √weight of the lines of a bucket, to half a step. @param {number} bucket */
export function rootOf(bucket) {
  return (BUCKETS - bucket - 0.5) / BUCKETS;
}

/**
 * Opacity of a bucket's lines: √weight keeps faint lines of a few heads visible; many heads would add up to a haze.
 * @param {number} bucket @param {number} heads
 */
export function opacityOf(bucket, heads) {
  return rootOf(bucket) ** (heads > FEW_HEADS ? 2 : 1);
}

/**
 * Sort cells into buckets with a counting sort.
 * @param {Uint32Array} found @param {Uint16Array} plane @returns {Buckets}
 */
export function byStrength(found, plane) {
  const starts = new Uint32Array(BUCKETS + 1);
  for (const cell of found) starts[bucketOf(plane[cell]) + 1]++;
  for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1] += starts[bucket];
  const cells = new Uint32Array(found.length);
  const next = starts.slice();
  for (const cell of found) cells[next[bucketOf(plane[cell])]++] = cell;
  return { cells, starts };
}

/**
 * All cells of a token: a query's weights, or the weights that go to a key.
 * @param {number} size
 * @param {Side} side of the token
 * @param {number} unit
 * @param {Range} other the range of the other side
 */
export function cellsOfToken(size, side, unit, [from, to]) {
  return Uint32Array.from({ length: to - from }, (_, index) =>
    side === 0 ? unit * size + from + index : (from + index) * size + unit,
  );
}

/**
 * The lines of a token, the largest weight first.
 * @param {readonly { head: number, values: Uint16Array }[]} planes @param {number} size
 * @param {Side} side of the token
 * @param {number} unit
 * @param {Range} other the range of the other side
 */
export function linesOfToken(planes, size, side, unit, other) {
  const lines = planes.flatMap(({ head, values }) =>
    Array.from(cellsOfToken(size, side, unit, other), (cell) => ({ head, cell, weight: values[cell] })),
  );
  lines.sort((one, next) => next.weight - one.weight);
  return lines.map(({ head, cell }) => ({ head, query: Math.floor(cell / size), key: cell % size }));
}

/**
 * Weights of a token over the other side, as the mean of some planes.
 * @param {readonly Uint16Array[]} planes @param {number} size
 * @param {Side} side of the token
 * @param {number} unit
 * @param {Range} other the range of the other side
 */
export function meanWeights(planes, size, side, unit, other) {
  const cells = cellsOfToken(size, side, unit, other);
  const share = 1 / Math.max(planes.length, 1);
  return Float64Array.from(cells, (cell) => planes.reduce((sum, plane) => sum + share * weightOf(plane[cell]), 0));
}

/**
 * The largest of some weights that are not zero, largest first.
 * @param {Float64Array} weights
 * @param {number} count how many at most
 * @param {number} from the unit of the first weight
 */
export function largest(weights, count, from = 0) {
  return Array.from(weights, (weight, index) => ({ unit: from + index, weight }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, count);
}
