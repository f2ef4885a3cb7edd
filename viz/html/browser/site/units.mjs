// Units, the rows and columns of a view, and the attention between them, as in `encoder/measures/`.
/** @import { Special, UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { Floats } from "./encoder.mjs" */
/** @import { TextTokens } from "./tokens.mjs" */

/** @param {Pick<TextTokens, "units" | "words">} tokens @param {string} level "words" or "wordpieces" @param {Special} special */
export function unitsOf({ units, words }, level, special) {
  /** @type {number[][]} */
  const positions = [];
  units.labels.forEach((_, place) => {
    if (units.special[place] && special !== "show") return;
    if (level === "words" && words[place] === "") positions[positions.length - 1].push(place);
    else positions.push([place]);
  });
  const start = positions.findIndex(([first]) => units.b_start !== null && first >= units.b_start);
  return {
    labels: positions.map(([first]) => (level === "words" && words[first]) || units.labels[first]),
    special: positions.map(([first]) => units.special[first]),
    positions,
    b_start: start < 0 ? null : start,
  };
}

/**
 * Attention between units, summed over the tokens of a key and averaged over those of a query; and what each query
 * gives to hidden tokens, unless all are shown.
 * @param {Floats} weights (H, T, T) @param {UnitExtras} units @param {Special} special
 * @returns {{ weights: Floats, removed?: Floats }} (H, U, U) and (H, U)
 */
export function shownAttention(weights, { positions }, special) {
  const [heads, tokens] = weights.shape;
  const count = positions.length;
  if (count === tokens) return { weights };
  const between = new Float32Array(heads * count * count);
  const removed = new Float32Array(heads * count);
  for (let row = 0; row < removed.length; row += 1) {
    const found = between.subarray(row * count, (row + 1) * count);
    const queries = positions[row % count];
    for (const query of queries) {
      const given = weights.values.subarray((Math.floor(row / count) * tokens + query) * tokens);
      positions.forEach((keys, unit) => keys.forEach((key) => (found[unit] += given[key] / queries.length)));
    }
    const sum = found.reduce((total, weight) => total + weight, 0);
    removed[row] = Math.max(1 - sum, 0);
    if (special === "renormalise" && sum > 0) found.forEach((weight, unit) => (found[unit] = weight / sum));
  }
  const shown = { weights: { shape: [heads, count, count], values: between } };
  return special === "show" ? shown : { ...shown, removed: { shape: [heads, count], values: removed } };
}
