// @ts-check
// What the neuron view shows, derived from a head, the selection and the controls; nothing here knows the page.
import { unitsIn } from "../shared/ranges.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { attend, dimensionsBySize, keyOrder, limitOf, shownWeights, strongest } from "./maths.mjs";
import { formula, weightText, written } from "./numbers.mjs";
import { pointedAt } from "./points.mjs";
/** @import { Selection, Special, Table } from "../shared/types.mjs" */
/** @import { Attended, Head } from "./maths.mjs" */
/** @import { Pointed } from "./points.mjs" */

/** @typedef {{ byWeight: boolean, bySize: boolean }} Controls */

/**
 * @typedef {object} Scene
 * @property {Head} head
 * @property {number} query
 * @property {number[]} queries that can be chosen
 * @property {Attended} attended
 * @property {{ vectors: number, products: number }} limits that end the colours
 * @property {Map<number, number[]>} marks of each key, the dimensions of its largest products
 * @property {number} pinned key, or NOTHING
 * @property {Pointed} pointed by a stop of a tour
 * @property {number} first key that the formula speaks of where none is lit
 * @property {boolean} renormalised
 * @property {number[]} dimensions in their order
 * @property {number | null} sortedBy the key that orders the dimensions
 * @property {boolean} byWeight
 * @property {number[]} rows the keys in their order
 * @property {Float64Array} shares what is shown as a weight
 * @property {number} missing weight of the keys that are not shown
 */

/**
 * Everything that follows from a choice of query, key and order. What is the same in the scene before is kept.
 * @param {Head} head
 * @param {{ queries: number[], keys: number[] }} shown with one key at least
 * @param {number} query
 * @param {object} options
 * @param {Pick<Selection, "key" | "points">} options.selection
 * @param {Controls} options.controls
 * @param {Special} options.special
 * @param {Scene | null} before
 * @returns {Scene}
 */
export function sceneOf(head, { queries, keys }, query, { selection, controls, special }, before = null) {
  const same = before?.head === head && before.query === query ? before : null;
  const attended = same?.attended ?? attend(head, query);
  const pinned = keys.includes(selection.key) ? selection.key : NOTHING;
  const first = pinned === NOTHING ? strongest(keys, attended.weights) : pinned;
  const { byWeight, bySize } = controls;
  const renormalised = special === "renormalise";
  return {
    ...{ head, query, queries, attended, pinned, first, renormalised, byWeight },
    pointed: pointedAt(selection.points ?? [], query),
    limits: same?.limits ?? { vectors: head.limit, products: limitOf(attended.products) },
    marks: same?.marks ?? new Map(),
    dimensions: bySize ? dimensionsBySize(attended.products, first, head.width) : unitsIn([0, head.width]),
    sortedBy: bySize ? first : null,
    rows: keyOrder(keys, attended.weights, byWeight),
    ...shownWeights(attended.weights, keys, head.special, renormalised),
  };
}

/**
 * The formula with the numbers of one key in it, and how much weight the keys have that are not shown.
 * @param {Scene} scene
 * @param {number} key
 */
export function formulaOf({ head, query, attended, shares, missing, renormalised, rows }, key) {
  const { rule, numbers } = formula(head, query, key, attended, renormalised ? shares[key] : null);
  const left = head.length - rows.length;
  const isLeft = left > 0 && missing > 0;
  const rest = isLeft ? `The ${left} keys that are not shown hold ${weightText(missing)} of the weight.` : "";
  return { rule, numbers, rest, from: head.labels[query], to: head.labels[key] };
}

/**
 * One dimension of the query, or of the query and a key, as two lines.
 * @param {Scene} scene
 * @param {number | null} key
 * @param {number} dimension
 */
export function dimensionText({ head, query, attended }, key, dimension) {
  const q = written(head.query[query * head.width + dimension]);
  if (key === null) return `dimension ${dimension}\nq = ${q}`;
  const index = key * head.width + dimension;
  const [k, product] = [written(head.key[index]), written(attended.products[index])];
  return `dimension ${dimension}, ${head.labels[query]} → ${head.labels[key]}\nq = ${q}, k = ${k}, q × k = ${product}`;
}

/** @param {Scene} scene @returns {Table} */
export function tableOf({ head, query, rows, attended, shares, renormalised }) {
  const { dots, scores, weights } = attended;
  return {
    caption: `L${head.layer} H${head.head}, query ${head.labels[query]}`,
    header: ["key", "position", "q · k", "score", "weight", ...(renormalised ? ["renormalised"] : [])],
    rows: rows.map((key) => [
      head.labels[key],
      String(key),
      written(dots[key], 4),
      written(scores[key], 4),
      written(weights[key], 5),
      ...(renormalised ? [written(shares[key], 5)] : []),
    ]),
  };
}
