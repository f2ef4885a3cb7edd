// What a head view says in words and numbers: its title, its sentences, its table.
import { weightOf } from "../shared/blob.mjs";
import { FEW_HEADS, largest, meanWeights, MEAN, strongestColumns } from "./lines.mjs";
import { written } from "./draw.mjs";

const NAMED = 5; // of the strongest tokens, in a sentence
const LISTED = 3; // in a cell of the table

export function headName(layer, head) {
  return head === MEAN ? `L${layer}, mean over heads` : `L${layer} H${head}`;
}

export function titleOf(layer, heads, count) {
  if (heads.length === 1) return headName(layer, heads[0]);
  if (heads.length === 0) return `L${layer}, no head`;
  return heads.length === count ? `L${layer}, all ${count} heads` : `L${layer} H${heads.join(", ")}`;
}

/** A token with its number: repeated tokens must be told apart. */
export function tokenName({ labels, numbers }, unit) {
  return `${labels[unit]} (${numbers[unit]})`;
}

/** One sentence about a token and what it is strongest connected with. */
export function sentenceOf(scene, { side, unit }) {
  const { planes, size, ranges } = scene;
  const name = tokenName(scene, unit);
  if (!planes.length) return `${name}: no head is chosen.`;
  const other = ranges[1 - side];
  const means = meanWeights(
    planes.map(({ values }) => values),
    size,
    side,
    unit,
    other,
  );
  const most = largest(means, NAMED, other[0]).map(
    ({ unit: at, weight }) => `${tokenName(scene, at)} ${written(weight, size)}`,
  );
  const over = planes.length > 1 ? ` (mean over ${planes.length} heads)` : "";
  return `${name} ${side === 0 ? "looks at" : "is looked at by"}${over}: ${most.join(", ") || "nothing"}`;
}

/** What lines mean, where no token is shown alone. */
export function legendOf({ planes, fine }) {
  if (!planes.length) return "No head is chosen: click a number above.";
  const opacity = planes.length > FEW_HEADS ? "weight" : "√weight";
  return `Opacity: ${opacity}${fine ? "" : ", thickness: weight"}. Point at a token to see all its lines and weights; click to pin it.`;
}

export function countOf({ drawn, planes, ranges }) {
  const all = planes.length * ranges.reduce((product, [from, to]) => product * (to - from), 1);
  return `${drawn.toLocaleString("en")} of ${all.toLocaleString("en")} lines`;
}

/** The table's caption, header and rows: all weights of the pinned token, or each query's strongest keys. */
export function tableOf(scene, layer, pinned) {
  const { planes, size, ranges } = scene;
  const heads = planes.map(({ head }) => headName(layer, head));
  const units = (side) => {
    const [from, to] = ranges[side];
    return Array.from({ length: to - from }, (_, index) => from + index);
  };
  if (pinned) {
    const { side, unit } = pinned;
    const cell = (at) => (side === 0 ? unit * size + at : at * size + unit);
    return {
      caption: `Weights ${side === 0 ? "from" : "to"} ${tokenName(scene, unit)}`,
      header: [side === 0 ? "To (key)" : "From (query)", ...heads],
      rows: units(1 - side).map((at) => [
        tokenName(scene, at),
        ...planes.map(({ values }) => weightOf(values[cell(at)]).toFixed(4)),
      ]),
    };
  }
  const best = new Uint32Array(LISTED);
  const strongest = (values, query) => {
    const found = strongestColumns(values, query * size, ranges[1], LISTED, best);
    return Array.from(best.subarray(0, found), (key) => {
      return `${tokenName(scene, key)} ${written(weightOf(values[query * size + key]), size)}`;
    }).join(", ");
  };
  return {
    caption: "The strongest keys of every query",
    header: ["From (query)", ...heads],
    rows: units(0).map((query) => [tokenName(scene, query), ...planes.map(({ values }) => strongest(values, query))]),
  };
}
