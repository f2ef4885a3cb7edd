// @ts-check
// What every view of a message has in common: waiting for it, tooltip, speech, table, and buttons that save the picture.
import { contextOf } from "./canvas_painter.mjs";
import { element, spokenText } from "./elements.mjs";
import { saveButtons } from "./save.mjs";
import { paintedName } from "./selection.mjs";
import { storeOf, withMessage } from "./store.mjs";
import { TableTwin } from "./table.mjs";
import { Tip } from "./tip.mjs";
import { View } from "./view.mjs";
/** @import { Picture, Selection, SelectionChanges, Table, ViewData } from "./types.mjs" */

/**
 * A view that draws a message, which another component receives.
 * @template {ViewData} Data
 * @template Kind the message
 * @extends {View<Data, SelectionChanges>}
 */
export class PictureView extends View {
  /** @type {Kind | null} */
  message = null;
  #stopWaiting = () => {};

  /** @param {HTMLElement} root @param {Data} data */
  constructor(root, data) {
    super(root, data);
    this.spoken = spokenText();
    this.tip = new Tip(this.closing.signal);
    this.twin = new TableTwin(() => this.table());
    this.saveButtons = saveButtons(() => this.picture());
    this.measuring = contextOf(element("canvas")); // measures texts
    this.closing.signal.addEventListener("abort", () => this.#stopWaiting());
  }

  /**
   * The selection as it is shown: with the changes that Python has not read yet.
   * @returns {Selection}
   */
  get selection() {
    return this.link.merged(this.data.selection);
  }

  /** @override @param {Data} data */
  receive(data) {
    this.#stopWaiting();
    /** @param {Kind} message */
    const show = (message) => {
      Object.assign(this, { data, message });
      this.refresh();
    };
    this.#stopWaiting = withMessage(storeOf(), data.id, show);
  }

  /**
   * The picture's numbers, or null while there is none.
   * @abstract
   * @returns {Table | null}
   */
  table() {
    throw new Error("A view says what its table holds.");
  }

  /**
   * The picture as it is saved, or null while there is none.
   * @abstract
   * @returns {Picture | null}
   */
  picture() {
    throw new Error("A view says what is saved.");
  }

  /**
   * Note what is on the screen, for tests and the benchmark.
   * @param {readonly number[]} heads
   */
  notePainted(heads) {
    this.root.dataset.painted = paintedName(this.data.id, this.selection.layer, heads);
  }
}
