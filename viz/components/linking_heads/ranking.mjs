// Ranks the heads of the cached layers by their weight from one token to another.
import { layerId, weightOf } from "../shared/message.mjs";
import { unitOf, unitsIn } from "../shared/ranges.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { storeOf } from "../shared/store.mjs";
/** @import { Store } from "../shared/store.mjs" */
/** @import { Head, LayerMessage, Selection } from "../shared/types.mjs" */

/**
 * A run whose layers the page shows. `words` has the index of each token's word, null for special tokens; it is empty if
 * the weights were rescaled.
 * @typedef {{ run: string, layers: number, texts: string[], words: (number | null)[] }} Run
 * @typedef {Head & { weight: number }} Ranked
 */

/**
 * The run in which two tokens are pinned, and its cached layers; null if fewer are pinned.
 * @param {readonly Run[]} runs @param {Selection} selection @param {Store} store
 */
export function pinnedIn(runs, { query, key, pinned_in: text }, { messages } = storeOf()) {
  const run = runs.find(({ texts }) => texts.includes(text));
  if (!run || query === NOTHING || key === NOTHING) return null;
  const kept = unitsIn([0, run.layers]).flatMap((layer) => messages.get(layerId(run.run, layer)) ?? []);
  return { run, layers: kept.map(({ message }) => /** @type {LayerMessage} */ (message)) };
}

/**
 * The units of two tokens; null if one is hidden.
 * @param {LayerMessage} layer
 * @param {{ query: number, key: number }} tokens their positions
 */
export function unitsOfPins({ extras: { positions } }, { query, key }) {
  const [row, column] = [query, key].map((token) => unitOf(positions, token));
  return row < 0 || column < 0 ? null : { row, column };
}

/**
 * All heads of some layers, the largest weight first.
 * @param {readonly LayerMessage[]} layers @param {{ row: number, column: number }} units @returns {Ranked[]}
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
