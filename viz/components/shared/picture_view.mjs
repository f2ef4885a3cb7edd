// @ts-check
// What every view of a message has in common: following the page's selection and waiting for bytes, tooltip, speech,
// table, and buttons that save the picture.
import { contextOf } from "./canvas_painter.mjs";
import { element, spokenText } from "./elements.mjs";
import { layerId } from "./layers.mjs";
import { selectionOf } from "./page_selection.mjs";
import { registerPicture } from "./pictures.mjs";
import { pointsIn } from "./points.mjs";
import { biasSentence, biasesIn, quantityOf } from "./quantity.mjs";
import { RemovedNote } from "./removed.mjs";
import { saveButtons } from "./save.mjs";
import { NOTHING, paintedName } from "./selection.mjs";
import { storeOf, withMessage } from "./store.mjs";
import { TableTwin } from "./table.mjs";
import { Tip } from "./tip.mjs";
import { View } from "./view.mjs";
import { roomOnStage } from "./zoom.mjs";
/** @import { DirectRun } from "./page_selection.mjs" */
/** @import { Message, Picture, Selection, SelectionChanges, Table, ViewData } from "./types.mjs" */

/**
 * A view that draws a message, which another component receives, as the page's selection asks for it.
 * @template {ViewData} Data
 * @template {Message<object, object>} Kind the message
 * @extends {View<Data>}
 */
export class PictureView extends View {
  /** @type {Kind | null} */
  message = null;
  /** @type {Selection | null} that the picture shows; while its successor's bytes are on their way it stays */
  #selection = null;
  #given;
  #drawnId = "";
  #stopWaiting = () => {};

  /** @param {HTMLElement} root @param {Data} data */
  constructor(root, data) {
    super(root, data);
    this.#given = data;
    this.source = selectionOf(data.scope);
    this.spoken = spokenText();
    this.removed = new RemovedNote();
    this.biases = element("p", "biases");
    this.biases.hidden = true;
    this.notice = element("div", "notice");
    this.notice.setAttribute("role", "status");
    this.notice.hidden = true;
    this.tip = new Tip(this.closing.signal);
    this.twin = new TableTwin(() => this.table());
    this.saveButtons = saveButtons(() => this.picture());
    registerPicture(root, () => this.picture());
    this.measuring = contextOf(element("canvas")); // measures texts
    const unsubscribe = this.source.subscribe((what) => {
      if (what === "selection" || this.#run !== this.#drawnId) this.follow();
    });
    this.closing.signal.addEventListener("abort", () => {
      unsubscribe();
      this.#stopWaiting();
    });
  }

  /** The lines under the picture that say what has no cell, where a view has a place for them. */
  get besides() {
    return [this.removed.root, this.biases];
  }

  /**
   * The selection that the picture shows; only to be asked for where there is a message.
   * @returns {Selection}
   */
  get selection() {
    if (!this.#selection) throw new Error("The picture has no selection yet.");
    return this.#selection;
  }

  /** @override @param {Data} data */
  receive(data) {
    this.#given = data;
    this.follow();
  }

  /** Show what is selected, or wait for its bytes. A preview that has none is left out. */
  follow() {
    this.#stopWaiting();
    const { shown, chosen } = this.source;
    if (!shown || !chosen || this.closing.signal.aborted) return;
    const store = storeOf();
    const selected = store.messages.has(this.#idOf(shown.layer)) ? shown : chosen;
    const { layers } = this.#given;
    if (layers && selected.layer >= layers) {
      this.#say(`There ${layers === 1 ? "is 1 layer" : `are ${layers} layers`} here: choose a lower one.`);
      return;
    }
    const kept = store.messages.get(this.#idOf(selected.layer));
    if (!kept) {
      this.#stopWaiting = withMessage(store, this.#idOf(selected.layer), () => this.follow());
      const isOfSameRun = this.#drawnId === this.#run;
      this.#say(layers && isOfSameRun ? `Layer ${selected.layer} is on its way …` : "");
      return;
    }
    this.#say("");
    this.data = this.#given;
    this.#drawnId = this.#run;
    this.message = /** @type {Kind} */ (kept.message);
    this.#selection = this.#asSeenHere(selected);
    this.refresh();
  }

  /** The id of the run that Python gave, or of a newer one. */
  get #run() {
    const direct = this.source.runOf(this.#given.texts);
    return (direct && this.directId(direct)) ?? this.#given.id;
  }

  /**
   * The id of what this view draws of a run that Python has not told of; null where it goes on with the one it has.
   * @param {DirectRun} run
   */
  directId(run) {
    return this.#given.layers ? run.layers : null;
  }

  /** @param {number} layer */
  #idOf(layer) {
    return this.#given.layers ? layerId(this.#run, layer) : this.#run;
  }

  /**
   * Without pins and points of another text, and with the part of the pair that this picture always shows.
   * @param {Selection} selection
   * @returns {Selection}
   */
  #asSeenHere(selection) {
    const { texts, sentences } = this.#given;
    const pins = texts.includes(selection.pinned_in) ? {} : { query: NOTHING, key: NOTHING };
    const points = pointsIn(selection.points ?? [], texts);
    return { ...selection, ...pins, ...(sentences && { sentences }), points };
  }

  /** @param {string} text why the picture is not the one that was chosen */
  #say(text) {
    this.notice.textContent = text;
    this.notice.hidden = !text;
    this.notice.classList.toggle("alone", !this.message);
  }

  /**
   * Change the page's selection, this view's part of it included.
   * @param {SelectionChanges} changes
   */
  send(changes) {
    this.source.change(changes);
  }

  /**
   * Say what has no cell: how much attention goes to hidden tokens, and what the model's biases have.
   * @param {readonly number[]} heads that are drawn
   */
  showRemoved(heads) {
    if (!this.message) return;
    const quantity = quantityOf(this.message.extras);
    this.removed.show(this.message.tensors, heads, this.data, quantity);
    const said = biasSentence(biasesIn(this.message.tensors), quantity);
    this.biases.textContent = said;
    this.biases.hidden = !said;
  }

  /**
   * The height that a part of the picture has before an audience, above the line about hidden tokens; null on the page.
   * @param {Element} part
   */
  roomOnStage(part) {
    const room = roomOnStage(part);
    return room === null ? null : room - this.removed.root.offsetHeight - this.biases.offsetHeight;
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
    if (!this.message) return;
    this.root.dataset.painted = paintedName(this.message.extras.id, this.selection.layer, heads);
  }
}
