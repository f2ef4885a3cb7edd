// The selected layer of the runs that a view's run is compared with, so that their pictures have one size.
import { layerId } from "./message.mjs";
import { storeOf, withMessage } from "./store.mjs";
/** @import { PictureView } from "./picture_view.mjs" */
/** @import { LayerMessage, OtherRun, ViewData } from "./types.mjs" */

/** @typedef {PictureView<ViewData & { others?: readonly OtherRun[] }, LayerMessage>} ComparedView */

export class OtherLayers {
  #ids = "";
  #stopWaiting = () => {};

  /** @param {ComparedView} view that renders again when a layer arrives that was missing, or another run */
  constructor(view) {
    this.view = view;
    const { signal } = view.closing;
    signal.addEventListener("abort", () => this.#stopWaiting());
    view.source.subscribe((what) => {
      if (what === "runs" && view.message && this.#shownIds().join() !== this.#ids) view.refresh();
    }, signal);
  }

  /** The ids of the selected layer of the runs; direct runs replace those of Python. */
  #shownIds() {
    const { data, selection, source } = this.view;
    return (data.others ?? []).map(({ id, texts }) => layerId(source.runOf(texts)?.layers ?? id, selection.layer));
  }

  /** The selected layer of the runs, as far as cached. @returns {LayerMessage[]} */
  get shown() {
    this.#stopWaiting();
    const [store, ids] = [storeOf(), this.#shownIds()];
    const missing = ids.filter((id) => !store.messages.has(id));
    const stops = missing.map((id) => withMessage(store, id, () => this.view.refresh()));
    this.#stopWaiting = () => stops.forEach((stop) => stop());
    this.#ids = ids.join();
    return ids.flatMap((id) => /** @type {LayerMessage[]} */ (store.messages.get(id)?.message ?? []));
  }
}
