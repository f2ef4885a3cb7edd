// @ts-check
// What the map of all heads says of a head.
import { MEAN, headName } from "../shared/selection.mjs";
/** @import { Table, Tensor } from "../shared/types.mjs" */
/** @import { Numbering } from "./numbering.mjs" */
/** @import { Head } from "./tiles.mjs" */

/**
 * Every head's measures, (L, H, M), and their names; the numbering says which layers the L are, and which heads are
 * spoken of.
 * @typedef {{ profiles: Tensor<Float32Array>, names: string[], numbering: Numbering }} Measures
 */

/** @param {Head} head */
export const nameOf = ({ layer, head }) => headName(layer, head, "mean");

/**
 * How keys choose on a map, by the last layer and head that it has; why nothing is chosen where it is disabled.
 * @param {Head} last
 * @param {boolean} enabled
 */
export function keysOf({ layer, head }, enabled) {
  if (!enabled) return "This view does not follow layer and head.";
  return `Arrow keys choose another; type ${head} for head ${head}, L${layer} for layer ${layer}, M for the mean.`;
}

/**
 * What is known of a head: ["entropy in bits", "1.20"], ["to itself", "4%"] and so on; nothing of a mean.
 * @param {Measures} measures
 * @param {Head} head
 * @returns {[name: string, value: string][]}
 */
export function measuresOf({ profiles, names, numbering }, { layer, head }) {
  if (head === MEAN) return [];
  const [, heads, count] = profiles.shape;
  const start = (numbering.layers.indexOf(layer) * heads + head) * count;
  return names.map((name, index) => [name, written(name, profiles.values[start + index])]);
}

/** @param {string} name @param {number} value */
function written(name, value) {
  if (Number.isNaN(value)) return "none";
  return name.includes("bits") ? value.toFixed(2) : `${(100 * value).toFixed(0)}%`;
}

/**
 * @param {Measures} measures
 * @returns {Table}
 */
export function tableOf(measures) {
  const { layers, heads } = measures.numbering;
  const rows = layers.flatMap((layer) =>
    heads.map((head) => [nameOf({ layer, head }), ...measuresOf(measures, { layer, head }).map(([, value]) => value)]),
  );
  return { caption: "Every head's measures on this text", header: ["head", ...measures.names], rows };
}
