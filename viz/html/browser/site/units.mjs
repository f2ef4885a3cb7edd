// Units, the rows and columns of a view, as in `encoder/measures/units.py`.
/** @import { Special, UnitExtras } from "../../../components/shared/types.mjs" */
/** @import { TextTokens } from "./tokens.mjs" */

/** @param {Pick<TextTokens, "units" | "words">} tokens @param {string} level "words" or "wordpieces" @param {Special} special @returns {UnitExtras} */
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

/** What graphs read of units: the unit of each of so many tokens, and how many tokens each has. @param {UnitExtras} units @param {number} tokens */
export function membersOf({ positions }, tokens) {
  const units = new BigInt64Array(tokens).fill(BigInt(positions.length)); // of a hidden token
  positions.forEach((members, unit) => members.forEach((token) => (units[token] = BigInt(unit))));
  const counts = Float32Array.from(positions, (members) => members.length);
  return { units: { shape: [tokens], values: units }, counts: { shape: [counts.length], values: counts } };
}
