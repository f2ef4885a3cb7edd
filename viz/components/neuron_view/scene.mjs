// What the neuron view shows, derived from a head, the selection and the controls; nothing here knows the page.
import {
  attend,
  chosenQuery,
  dimensionsBySize,
  formula,
  keyOrder,
  limitOf,
  shownPositions,
  shownWeights,
  strongest,
  weightText,
  written,
} from "./maths.mjs";

const NO_KEY = -1;

/**
 * Everything that follows from a choice of query, key and order. `selection` is the page's, `controls` the view's own
 * { byWeight, bySize }, `special` "show", "hide" or "renormalise". Of the scene `before`, what stays true is kept.
 */
export function sceneOf(head, selection, controls, special, before = null) {
  const shown = shownPositions(head, { hidden: special !== "show", sentences: selection.sentences });
  const query = chosenQuery(shown.queries, head.special, selection.query);
  if (query === undefined || shown.keys.length === 0) return { head, shown, query, empty: true };
  const same = before?.head === head && before.query === query && !before.empty;
  const result = same ? before.result : attend(head, query);
  const limits = same ? before.limits : { vectors: head.limit, products: limitOf(result.products) };
  const renormalised = special === "renormalise";
  const pinned = shown.keys.includes(selection.key) ? selection.key : NO_KEY;
  const first = pinned === NO_KEY ? strongest(shown.keys, result.weights) : pinned;
  const dimensions = controls.bySize
    ? dimensionsBySize(result.products, first, head.width)
    : Array.from({ length: head.width }, (_, at) => at);
  return {
    head,
    shown,
    query,
    empty: false,
    result,
    limits,
    marks: same ? before.marks : new Map(),
    pinned,
    first,
    renormalised,
    dimensions,
    sortedBy: controls.bySize ? first : null,
    byWeight: controls.byWeight,
    rows: keyOrder(shown.keys, result.weights, controls.byWeight),
    ...shownWeights(result.weights, shown.keys, head.special, renormalised),
  };
}

/** The formula with the numbers of one key in it, and what the keys that are not shown hold. */
export function formulaOf({ head, query, result, shares, missing, renormalised, shown }, key) {
  const { rule, numbers } = formula(head, query, key, result, renormalised ? shares[key] : null);
  const left = head.length - shown.keys.length;
  const rest =
    left > 0 && missing > 0 ? `The ${left} keys that are not shown hold ${weightText(missing)} of the weight.` : "";
  return { rule, numbers, rest, from: head.labels[query], to: head.labels[key] };
}

/** One dimension of a query and a key, as two lines. */
export function dimensionText({ head, query, result }, key, dimension) {
  const q = head.query[query * head.width + dimension];
  if (key === null) return `dimension ${dimension}\nq = ${written(q)}`;
  const at = key * head.width + dimension;
  const [k, product] = [head.key[at], result.products[at]].map((value) => written(value));
  return `dimension ${dimension}, ${head.labels[query]} → ${head.labels[key]}\nq = ${written(q)}, k = ${k}, q × k = ${product}`;
}

export function tableHeader({ renormalised }) {
  return ["key", "position", "q · k", "score", "weight", ...(renormalised ? ["renormalised"] : [])];
}

export function tableRows({ head, rows, result, shares, renormalised }) {
  return rows.map((key) => [
    head.labels[key],
    String(key),
    written(result.dots[key], 4),
    written(result.scores[key], 4),
    written(result.weights[key], 5),
    ...(renormalised ? [written(shares[key], 5)] : []),
  ]);
}
