// Texts of the head view: title, sentences, legend and table.
import { WEIGHTS, inCell, inFull, isWeights, pictureName, numberOf } from "../shared/quantity.mjs";
import { lengthOf, unitsIn } from "../shared/ranges.mjs";
import { headName } from "../shared/selection.mjs";
import { largest, meanWeights, strongestColumns } from "./lines.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Table } from "../shared/types.mjs" */
/** @import { Token } from "./layout.mjs" */
/** @import { Scene } from "./scene.mjs" */

/** @type {Readonly<Record<Quantity["unit"], [from: string, to: string]>>} */
const VERBS = {
  weight: ["looks at", "is looked at by"],
  share: ["takes from", "gives to"],
  norm: ["takes from", "gives to"],
  difference: ["looks more at", "is looked at more by"],
};
const NAMED = 5; // of the strongest tokens, in a sentence
const LISTED = 3; // of the strongest keys, in a cell of the table
const LONG_TEXT = 64; // units, beyond which 1/512 is an ordinary weight and numbers have a digit more
const SMALL = 0.2; // largest value up to which numbers have a digit more

/**
 * @param {number} layer
 * @param {readonly number[]} heads that are rendered
 * @param {number} count of the layer's heads
 * @param {Quantity} [quantity]
 */
export function titleOf(layer, heads, count, quantity = WEIGHTS) {
  if (heads.length === 1) return pictureName(quantity, layer, heads[0]);
  const name = isWeights(quantity) ? "" : `${quantity.name}, `;
  if (heads.length === 0) return `${name}L${layer}, no head`;
  return name + (heads.length === count ? `L${layer}, all ${count} heads` : `L${layer} H${heads.join(", ")}`);
}

/**
 * A weight with the digits that its text needs; "0" if it rounds to zero.
 * @param {number} weight or another number, as a share of the largest one
 * @param {number} units of the text
 * @param {Quantity} [quantity]
 */
export function written(weight, units, quantity = WEIGHTS) {
  if (quantity.unit === "norm") return weight === 0 ? "0" : inCell(weight * quantity.largest, quantity);
  const value = weight * quantity.largest;
  const digits = units > LONG_TEXT || quantity.largest < SMALL ? 3 : 2;
  return value < 0.5 * 10 ** -digits ? "0" : value.toFixed(digits);
}

/** A token with its position, to distinguish repeated tokens. @param {Scene} scene @param {number} unit */
export function tokenName({ labels, numbers }, unit) {
  return `${labels[unit]} (${numbers[unit]})`;
}

/** One sentence about a token and its strongest connections. @param {Scene} scene @param {Token} token */
export function sentenceOf(scene, { side, unit }) {
  const { planes, size, ranges, quantity } = scene;
  const name = tokenName(scene, unit);
  if (!planes.length) return `${name}: no head is chosen.`;
  const other = ranges[1 - side];
  const values = planes.map((plane) => plane.values);
  const means = meanWeights(values, size, side, unit, other);
  const strongest = largest(means, NAMED, other[0]).map((one) => {
    return `${tokenName(scene, one.unit)} ${written(one.weight, size, quantity)}`;
  });
  const mean = planes.length > 1 ? ` (mean over ${planes.length} heads)` : "";
  const does = VERBS[quantity.unit];
  const what = isWeights(quantity) ? "" : ` (${quantity.symbol})`;
  return `${name} ${does[side]}${mean}${what}: ${strongest.join(", ") || "nothing"}`;
}

/**
 * The legend of the lines while no token is focused.
 * @param {Pick<Scene, "planes" | "fine" | "quantity" | "cuts">} scene
 */
export function legendOf({ planes, fine, quantity, cuts }) {
  if (!planes.length) return "No head is chosen: click a number above.";
  const what = isWeights(quantity) ? "attention" : quantity.symbol;
  const most = quantity.largest !== 1 ? `, up to ${inFull(quantity.largest, quantity)}` : "";
  const dashed = cuts?.lines.length ? `Dashed = ${cuts.name}. ` : "";
  const strength = `${fine ? "Darker" : "Thicker"} line = more ${what}${most}.`;
  return `${dashed}${strength} Hover over a word; click to keep it.${cuts ? " Click a line to cut it." : ""}`;
}

/** "83 of 169 lines". @param {Pick<Scene, "drawn" | "planes" | "ranges">} scene */
export function countOf({ drawn, planes, ranges }) {
  const all = planes.length * lengthOf(ranges[0]) * lengthOf(ranges[1]);
  return `${drawn.toLocaleString("en")} of ${all.toLocaleString("en")} lines`;
}

/**
 * All weights of the pinned token, or each query's strongest keys.
 * @param {Scene} scene @param {number} layer @param {Token | undefined} pinned @returns {Table}
 */
export function tableOf(scene, layer, pinned) {
  const { quantity, planes } = scene;
  const heads = planes.map(({ head }) =>
    isWeights(quantity) ? headName(layer, head) : `${quantity.symbol}, ${pictureName(quantity, layer, head)}`,
  );
  return pinned ? tokenTable(scene, heads, pinned) : strongestTable(scene, heads);
}

/** @param {Scene} scene @param {string[]} heads @param {Token} token @returns {Table} */
function tokenTable(scene, heads, { side, unit }) {
  const { planes, size, ranges, quantity } = scene;
  /** @param {number} other */
  const cell = (other) => (side === 0 ? unit * size + other : other * size + unit);
  return {
    caption: `${isWeights(quantity) ? "Weights" : quantity.name} ${side === 0 ? "from" : "to"} ${tokenName(scene, unit)}`,
    header: [side === 0 ? "To (key)" : "From (query)", ...heads],
    rows: unitsIn(ranges[1 - side]).map((other) => [
      tokenName(scene, other),
      ...planes.map(({ values }) => inFull(numberOf(values[cell(other)], quantity), quantity)),
    ]),
  };
}

/** @param {Scene} scene @param {string[]} heads @returns {Table} */
function strongestTable(scene, heads) {
  const { planes, size, ranges, quantity } = scene;
  const best = new Uint32Array(LISTED);
  /** @type {(values: Uint16Array, query: number) => string} */
  const strongest = (values, query) => {
    const found = strongestColumns(values, query * size, ranges[1], LISTED, best);
    return Array.from(best.subarray(0, found), (key) => {
      return `${tokenName(scene, key)} ${written(numberOf(values[query * size + key], WEIGHTS), size, quantity)}`;
    }).join(", ");
  };
  return {
    caption: "The strongest keys of every query",
    header: ["From (query)", ...heads],
    rows: unitsIn(ranges[0]).map((query) => [
      tokenName(scene, query),
      ...planes.map(({ values }) => strongest(values, query)),
    ]),
  };
}
