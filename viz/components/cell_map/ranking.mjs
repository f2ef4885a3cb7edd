// Ranks the heads of the cached layers by their weight from one unit to another.
import { layerId, weightOf } from "../shared/message.mjs";
import { unitsIn } from "../shared/ranges.mjs";
import { storeOf } from "../shared/store.mjs";
/** @import { Store } from "../shared/store.mjs" */
/** @import { Head, LayerMessage } from "../shared/types.mjs" */
/** @import { Cell } from "./block.mjs" */

/** @typedef {Head & { weight: number }} Ranked */

/**
 * The cached layers of a run.
 * @param {string} run the id of its messages @param {number} count of layers @param {Store} store
 */
export function layersInStore(run, count, { messages } = storeOf()) {
  const kept = unitsIn([0, count]).flatMap((layer) => messages.get(layerId(run, layer)) ?? []);
  return kept.map(({ message }) => /** @type {LayerMessage} */ (message));
}

/**
 * All heads of some layers, the largest weight first.
 * @param {readonly LayerMessage[]} layers @param {Cell} cell @returns {Ranked[]}
 */
export function rankedHeads(layers, { row, column }) {
  const found = layers.flatMap(({ tensors: { weights }, extras: { layer } }) => {
    const [heads, count] = weights.shape;
    return unitsIn([0, heads]).map((head) => {
      return { layer, head, weight: weightOf(weights.values[(head * count + row) * count + column]) };
    });
  });
  return found.sort((one, other) => other.weight - one.weight || one.layer - other.layer || one.head - other.head);
}
