// @ts-check
// Which head does this? The heads that look from one token to another, by weight, out of the layers that the browser has.
import { layerId, weightOf } from "../shared/message.mjs";
import { unitOf, unitsIn } from "../shared/ranges.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { storeOf } from "../shared/store.mjs";
/** @import { Store } from "../shared/store.mjs" */
/** @import { Head, LayerMessage, Selection } from "../shared/types.mjs" */

/**
 * A run whose layers are drawn on the page, with the texts that its tokens are of.
 * `words` says which word each token is of, null for special ones; it is empty where weights are no longer what the model
 * gave.
 * @typedef {{ run: string, layers: number, texts: string[], words: (number | null)[] }} Run
 * @typedef {Head & { weight: number }} Ranked
 */

/**
 * The run that two tokens are pinned in, and its layers that are here; null where fewer are pinned.
 * @param {readonly Run[]} runs @param {Selection} selection @param {Store} store
 */
export function pinnedIn(runs, { query, key, pinned_in: text }, { messages } = storeOf()) {
  const run = runs.find(({ texts }) => texts.includes(text));
  if (!run || query === NOTHING || key === NOTHING) return null;
  const kept = unitsIn([0, run.layers]).flatMap((layer) => messages.get(layerId(run.run, layer)) ?? []);
  return { run, layers: kept.map(({ message }) => /** @type {LayerMessage} */ (message)) };
}

/**
 * The units that two tokens belong to; null where one of them is hidden.
 * @param {LayerMessage} layer
 * @param {{ query: number, key: number }} tokens their positions
 */
export function unitsOfPins({ extras: { positions } }, { query, key }) {
  const [row, column] = [query, key].map((token) => unitOf(positions, token));
  return row < 0 || column < 0 ? null : { row, column };
}

/**
 * All heads of some layers, the one that looks hardest first.
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
