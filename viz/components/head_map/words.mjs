// Texts of the head map.
import { WEIGHTS, inFull, isWeights, pictureName, planesOf, separatesHeads } from "../shared/quantity.mjs";
import { MEAN, headName } from "../shared/selection.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Head, Table, Tensor } from "../shared/types.mjs" */
/** @import { Numbering } from "./tiles.mjs" */

/**
 * Every head's measures, (L, H, M), and their names; `numbering` gives the layers and the heads to
 * list. Of another quantity than weights H counts its planes.
 * @typedef {{ profiles: Tensor<Float32Array>, names: string[], numbering: Numbering, quantity?: Quantity }} Measures
 */

/** @param {Head} head @param {Quantity} [quantity] */
export const nameOf = ({ layer, head }, quantity = WEIGHTS) =>
  isWeights(quantity) ? headName(layer, head, "mean") : pictureName(quantity, layer, head);

/**
 * The help line for keys, given the last layer and head.
 * @param {Head} last @param {Quantity} [quantity]
 */
export function keysOf({ layer, head }, quantity = WEIGHTS) {
  if (!separatesHeads(quantity)) {
    return `${quantity.name} does not tell heads apart. ↑ and ↓ choose a layer; so does L${layer} for layer ${layer}.`;
  }
  return `Arrow keys choose another; type ${head} for head ${head}, L${layer} for layer ${layer}, M for the mean.`;
}

/**
 * The measures of a head: ["entropy in bits", "1.20"], ["to itself", "4%"] and so on; nothing of a mean.
 * @param {Measures} measures @param {Head} head @returns {[name: string, value: string][]}
 */
export function measuresOf({ profiles, names, numbering, quantity = WEIGHTS }, { layer, head }) {
  if (head === MEAN && isWeights(quantity)) return [];
  const [, planes, count] = profiles.shape;
  const [plane] = planesOf(head, planes, quantity);
  const start = (numbering.layers.indexOf(layer) * planes + plane) * count;
  return names.map((name, index) => [name, written(name, profiles.values[start + index], quantity)]);
}

/** @param {string} name @param {number} value @param {Quantity} quantity */
function written(name, value, quantity) {
  if (Number.isNaN(value)) return "none";
  if (quantity.unit === "norm") return inFull(value, quantity);
  return name.includes("bits") ? value.toFixed(2) : `${(100 * value).toFixed(0)}%`;
}

/** @param {Measures} measures @returns {Table} */
export function tableOf(measures) {
  const { numbering, quantity = WEIGHTS, names } = measures;
  const heads = isWeights(quantity) ? numbering.heads : [...(separatesHeads(quantity) ? numbering.heads : []), MEAN];
  const rows = numbering.layers.flatMap((layer) =>
    heads.map((head) => [
      nameOf({ layer, head }, quantity),
      ...measuresOf(measures, { layer, head }).map(([, value]) => value),
    ]),
  );
  const caption = isWeights(quantity) ? "Every head's measures on this text" : "Every picture's measures on this text";
  return { caption, header: [isWeights(quantity) ? "head" : "picture", ...names], rows };
}
