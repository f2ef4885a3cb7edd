// The selected layer of the runs that a view's run is compared with, so that their pictures have one size.
import { layerId } from "./message.mjs";
import { storeOf, withMessage } from "./store.mjs";
/** @import { PageSelection } from "./page_selection.mjs" */
/** @import { LayerMessage, OtherRun } from "./types.mjs" */

export class OtherLayers {
  #ids = "";
  #stopWaiting = () => {};

  /**
   * @param {PageSelection} source whose direct runs replace those of Python
   * @param {() => void} changed called when a layer arrives that was missing
   * @param {AbortSignal} closing
   */
  constructor(source, changed, closing) {
    this.source = source;
    this.changed = changed;
    closing.addEventListener("abort", () => this.#stopWaiting());
  }

  /** The ids of a layer of the runs. @param {readonly OtherRun[]} runs @param {number} layer */
  #idsOf(runs, layer) {
    return runs.map(({ id, texts }) => layerId(this.source.runOf(texts)?.layers ?? id, layer));
  }

  /** Whether the runs' layers are others than those that `of` returned last. @param {readonly OtherRun[]} runs @param {number} layer */
  haveChanged(runs, layer) {
    return this.#idsOf(runs, layer).join() !== this.#ids;
  }

  /**
   * A layer of the runs, as far as cached.
   * @param {readonly OtherRun[]} runs @param {number} layer @returns {LayerMessage[]}
   */
  of(runs, layer) {
    this.#stopWaiting();
    const [store, ids] = [storeOf(), this.#idsOf(runs, layer)];
    const missing = ids.filter((id) => !store.messages.has(id));
    const stops = missing.map((id) => withMessage(store, id, this.changed));
    this.#stopWaiting = () => stops.forEach((stop) => stop());
    this.#ids = ids.join();
    return ids.flatMap((id) => /** @type {LayerMessage[]} */ (store.messages.get(id)?.message ?? []));
  }
}
