// Values of the selection that mean something else than a number, and names for heads.

/** @import { Head } from "./types.mjs" */

export const MEAN = -1; // the "head" that stands for the mean over all heads
export const NOTHING = -1; // the position of a token when none is pinned

/** "L3 H7". @param {number} layer @param {number} head @param {string} mean the words in place of a head's number */
export function headName(layer, head, mean = "mean over heads") {
  return head === MEAN ? `L${layer}, ${mean}` : `L${layer} H${head}`;
}

/** "layer 3, head 7", in sentences. @param {Head} head */
export function headInWords({ layer, head }) {
  return `layer ${layer}, head ${head}`;
}

/**
 * What `data-painted` names: the message, the layer and the heads of the picture on the screen.
 * @param {string} id @param {number} layer @param {readonly number[]} heads
 */
export function paintedName(id, layer, heads) {
  return `${id}|L${layer}|H${heads.map((head) => (head === MEAN ? "mean" : head)).join(".")}`;
}
