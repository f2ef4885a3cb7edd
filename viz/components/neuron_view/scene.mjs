// What the neuron view shows, derived from a head, the selection and the controls, and how it writes numbers. No DOM.
import { unitsIn } from "../shared/ranges.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { attend, biasOf, dimensionsBySize, keyOrder, limitOf, shownWeights, strongest } from "./maths.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Selection, Special, Table } from "../shared/types.mjs" */
/** @import { Attended, Head } from "./maths.mjs" */

/** "0.25", "−1.20" or "0.00". @param {number} value @param {number} digits behind the point */
export function fixed(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A number with two decimals, or one from 100 on. @param {number} value @param {number} digits */
export function written(value, digits = Math.abs(value) < 99.995 ? 2 : 1) {
  if (value === -Infinity) return "−∞";
  return fixed(value, digits);
}

/** A weight with three decimals; a small positive weight is "< 0.001". @param {number} weight */
export function weightText(weight) {
  return weight > 0 && weight < 0.0005 ? "< 0.001" : written(weight, 3);
}

/**
 * The scaling in the formula and in the step with numbers; empty without scaling.
 * @param {number} scaling @param {number} width
 */
export function scalingText(scaling, width) {
  if (scaling === 1) return { rule: "", step: "" };
  if (Math.abs(scaling * scaling * width - 1) < 1e-4) {
    return { rule: ` / √${width}`, step: ` / ${written(1 / scaling)}` };
  }
  const factor = ` × ${Number(scaling.toPrecision(3))}`;
  return { rule: factor, step: factor };
}

/**
 * The formula, and the steps from q · k to the weight with the numbers of one query and key in them.
 * @param {Head} head @param {number} query @param {number} key @param {Attended} attended
 * @param {number | null} share the renormalised weight, where weights are
 */
export function formula(head, query, key, { dots, scores, weights }, share = null) {
  const { rule, step } = scalingText(head.scaling, head.width);
  const steps = [`q · k = ${written(dots[key])}`];
  if (step) steps.push(`${step.trim()} = ${written(dots[key] * head.scaling)}`);
  if (head.bias) {
    const bias = biasOf(head, query, key);
    const size = written(Math.abs(bias)).replace("Infinity", "∞");
    steps.push(`${bias < 0 ? "−" : "+"} bias ${size} = ${written(scores[key])}`);
  }
  steps.push(`softmax → ${weightText(weights[key])}`);
  if (share !== null) steps.push(`renormalised → ${weightText(share)}`);
  return { rule: `weight = softmax( q · k${rule}${head.bias ? " + bias" : ""} )`, numbers: steps };
}

/**
 * Highlighted positions, given the chosen query. A cell of another query highlights that query in the list.
 * @param {readonly Point[]} points @param {number} query
 */
export function pointedAt(points, query) {
  const tokens = points.flatMap((point) => (point.kind === "token" ? point.token : []));
  const cells = points.filter((point) => point.kind === "cell");
  return {
    queries: new Set([...tokens, ...cells.flatMap((cell) => cell.query)]),
    keys: new Set(tokens),
    rows: new Set(cells.flatMap((cell) => (cell.query.includes(query) ? cell.key : []))),
  };
}

/** @typedef {ReturnType<typeof pointedAt>} Pointed */

/**
 * The first highlighted row, or null if it was highlighted before.
 * @param {Pick<Scene, "rows" | "pointed">} scene @param {Pick<Scene, "rows" | "pointed"> | null} before
 */
export function newlyPointed(scene, before) {
  const [now, then] = [scene, before].map((one) => one?.rows.find((key) => isPointed(one.pointed, key)) ?? null);
  return now === then ? null : now;
}

/** @param {Pointed} pointed @param {number} key */
function isPointed({ keys, rows }, key) {
  return keys.has(key) || rows.has(key);
}

/** @typedef {{ byWeight: boolean, bySize: boolean }} Controls */

/**
 * @typedef {object} Scene
 * @property {Head} head
 * @property {number} query
 * @property {number[]} queries that can be chosen
 * @property {Attended} attended
 * @property {{ vectors: number, products: number }} limits of the colour scales
 * @property {Map<number, number[]>} marks of each key, the dimensions of its largest products
 * @property {number} pinned key, or NOTHING
 * @property {Pointed} pointed by a stop of a tour
 * @property {number} first key of the formula while none is hovered
 * @property {boolean} renormalised
 * @property {number[]} dimensions in their order
 * @property {number | null} sortedBy the key that orders the dimensions
 * @property {boolean} byWeight
 * @property {number[]} rows the keys in their order
 * @property {Float64Array} shares what is shown as a weight
 * @property {number} missing weight of the keys that are not shown
 */

/**
 * The scene of a query, key and order; it reuses unchanged parts of the previous scene.
 * @param {Head} head
 * @param {{ queries: number[], keys: number[] }} shown with one key at least
 * @param {number} query @param {object} options
 * @param {Pick<Selection, "key" | "points">} options.selection
 * @param {Controls} options.controls
 * @param {Special} options.special
 * @param {Scene | null} before @returns {Scene}
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

/** The formula with one key's numbers, and the weight of the hidden keys. @param {Scene} scene @param {number} key */
export function formulaOf({ head, query, attended, shares, missing, renormalised, rows }, key) {
  const { rule, numbers } = formula(head, query, key, attended, renormalised ? shares[key] : null);
  const left = (head.of ?? head.length) - rows.length;
  const isLeft = left > 0 && missing > 0;
  const rest = isLeft ? `The ${left} keys that are not shown hold ${weightText(missing)} of the weight.` : "";
  return { rule, numbers, rest, from: head.labels[query], to: head.labels[key] };
}

/**
 * One dimension of the query, or of the query and a key, as two lines.
 * @param {Scene} scene @param {number | null} key @param {number} dimension
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
      String((head.first ?? 0) + key),
      written(dots[key], 4),
      written(scores[key], 4),
      written(weights[key], 5),
      ...(renormalised ? [written(shares[key], 5)] : []),
    ]),
  };
}
