// The base class of every canvas view: it follows the page's selection, waits for bytes, and has a tooltip, a screen
// reader text, a table twin and a menu that saves it.
import { contextOf } from "./canvas_painter.mjs";
import { CUT_HISTORY, isUndo } from "./cut_history.mjs";
import { element, spokenText } from "./elements.mjs";
import { layerId } from "./message.mjs";
import { selectionOfModel, tokensOfPage } from "./other_model.mjs";
import { selectionOf } from "./page_selection.mjs";
import { pointsIn } from "./points.mjs";
import { biasSentence, biasesIn, quantityOf } from "./quantity.mjs";
import { RemovedNote } from "./removed.mjs";
import { PictureMenu } from "./save.mjs";
import { NOTHING, paintedName } from "./selection.mjs";
import { storeOf, withMessage } from "./store.mjs";
import { TableTwin } from "./table.mjs";
import { Tip } from "./tip.mjs";
import { View } from "./view.mjs";
import { roomOnStage } from "./zoom.mjs";
/** @import { Cuts } from "../cell_map/cuts.mjs" */
/** @import { DirectRun } from "./page_selection.mjs" */
/** @import { Message, Picture, Selection, SelectionChanges, Table, ViewData } from "./types.mjs" */

const MOST_LIVE = 32; // units of a text that follows while a weight is dragged

/** @type {WeakMap<Element, () => Picture | null>} */
const PICTURES = new WeakMap();

/** The picture that a view shows now, for saving and printing; null without one. @param {Element} root of the view */
export function pictureOf(root) {
  return PICTURES.get(root)?.() ?? null;
}

/**
 * A view that renders one message of the store, chosen by the page's selection.
 * @template {ViewData} Data
 * @template {Message<object, object>} Kind the message
 * @extends {View<Data>}
 */
export class PictureView extends View {
  /** @type {Kind | null} */
  message = null;
  /** @type {Selection | null} that is rendered; it stays until the next one's bytes arrive */
  #selection = null;
  #given;
  #drawnId = "";
  #drawSoon = this.perFrame(() => this.paint());
  drawOver = this.perFrame(() => this.paintOver());
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
    this.menu = new PictureMenu(() => this.picture(), this.closing.signal);
    PICTURES.set(root, () => this.picture());
    this.measuring = contextOf(element("canvas")); // measures texts
    const { signal } = this.closing;
    this.source.subscribe((what) => {
      if (what === "selection" || this.run !== this.#drawnId) this.follow();
    }, signal);
    signal.addEventListener("abort", () => this.#stopWaiting());
    this.listen(document, "keydown", (event) => this.#undo(event));
  }

  /** Paint in the next frame, but not before Streamlit sends that a link was cut, for which it sets a timer. */
  draw() {
    if (this.source.asksForCut) window.setTimeout(this.#drawSoon);
    else this.#drawSoon();
  }

  /** The lines under the picture about what has no cell. */
  get besides() {
    return [this.removed.root, this.biases];
  }

  /** The rendered selection; valid only with a message. @returns {Selection} */
  get selection() {
    if (!this.#selection) throw new Error("The picture has no selection yet.");
    return this.#selection;
  }

  /** @override @param {Data} data */
  receive(data) {
    this.#given = data;
    if (data.cuts) CUT_HISTORY.note(Object.values(this.source.texts).join("\n"), data.cuts.shown);
    this.follow();
  }

  /** The cut links, with a change that Python has not read. @returns {Cuts | undefined} */
  get cuts() {
    const { cuts } = this.data;
    const { cut } = this.source.pending;
    return cuts && { ...cuts, shown: cut === undefined ? cuts.shown : String(cut) };
  }

  /**
   * Change the cut links.
   * @param {string} cut all of them, as the address writes them
   * @param {boolean} isDragged whether more changes follow at once: a short text follows each of them
   * @param {number} count of the text's units
   */
  cutLinks(cut, isDragged, count) {
    if (isDragged && count > MOST_LIVE) return;
    this.source.change({ cut }, { isLive: isDragged });
  }

  /** @param {KeyboardEvent} event */
  #undo(event) {
    if (!this.data.cuts || event.defaultPrevented || !isUndo(event)) return;
    const cut = CUT_HISTORY.undo();
    if (cut === null) return;
    event.preventDefault();
    this.send({ cut });
  }

  /** Render the selection, or wait for its bytes. A preview without bytes is skipped. */
  follow() {
    this.#stopWaiting();
    const { shown, chosen } = this.seen;
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
      const isOfSameRun = this.#drawnId === this.run;
      this.#say(layers && isOfSameRun ? `Layer ${selected.layer} is on its way …` : "");
      return;
    }
    this.#say("");
    this.data = this.#given;
    this.#drawnId = this.run;
    this.message = /** @type {Kind} */ (kept.message);
    this.#selection = this.#asSeenHere(selected);
    this.refresh();
  }

  /** The page's selections as this picture's model has them. */
  get seen() {
    const { shown, chosen } = this.source;
    const { follows } = this.#given;
    if (!follows) return { shown, chosen };
    return { shown: shown && selectionOfModel(follows, shown), chosen: chosen && selectionOfModel(follows, chosen) };
  }

  /** What tells the view from its neighbours: ", sentence A", or the title of its model; "" for the only one. */
  get ofWhich() {
    const { texts, heading } = this.#given;
    const sentence = texts.length === 1 && "AB".includes(texts[0]) ? `sentence ${texts[0]}` : "";
    const name = heading ?? sentence;
    return name && `, ${name}`;
  }

  /** The id of Python's run, or of a newer direct run. */
  get run() {
    const direct = this.source.runOf(this.#given.texts);
    return (direct && this.directId(direct)) ?? this.#given.id;
  }

  /** The id of this view's message in a direct run; null keeps the present one. @param {DirectRun} run */
  directId(run) {
    return this.#given.layers ? run.layers : null;
  }

  /** @param {number} layer */
  #idOf(layer) {
    return this.#given.layers ? layerId(this.run, layer) : this.run;
  }

  /**
   * Drop pins and points of other texts, and apply the view's fixed sentence filter.
   * @param {Selection} selection @returns {Selection}
   */
  #asSeenHere(selection) {
    const { texts, sentences } = this.#given;
    const pins = texts.includes(selection.pinned_in) ? {} : { query: NOTHING, key: NOTHING };
    const points = pointsIn(selection.points ?? [], texts);
    return { ...selection, ...pins, ...(sentences && { sentences }), points };
  }

  /** @param {string} text why the rendered picture is not the selected one */
  #say(text) {
    this.notice.textContent = text;
    this.notice.hidden = !text;
    this.notice.classList.toggle("alone", !this.message);
  }

  /** Change the page's selection. @param {SelectionChanges} changes */
  send(changes) {
    this.source.change(changes);
  }

  /** Pin tokens of this view's text. @param {Pick<Selection, "query" | "key">} tokens */
  pin(tokens) {
    const { follows, texts } = this.data;
    this.send({ ...(follows ? tokensOfPage(follows, tokens) : tokens), pinned_in: texts[0] });
  }

  /** Paint the picture. @abstract */
  paint() {
    throw new Error("A view paints its picture.");
  }

  /** Paint only what follows the pointer and the keyboard. */
  paintOver() {}

  /**
   * Describe what has no cell: the attention to hidden tokens, and the model's biases.
   * @param {readonly number[]} heads that are rendered
   * @param {boolean} [hasSink] whether the sink of these heads has cells
   */
  showRemoved(heads, hasSink = false) {
    if (!this.message) return;
    const quantity = quantityOf(this.message.extras);
    this.removed.show(this.message.tensors, heads, { ...this.data, hasSink }, quantity);
    const said = biasSentence(biasesIn(this.message.tensors), quantity);
    this.biases.textContent = said;
    this.biases.hidden = !said;
  }

  /**
   * The height for a part of the picture on stage, above the line about hidden tokens; null on the page.
   * @param {Element} part
   */
  roomOnStage(part) {
    const room = roomOnStage(part);
    return room === null ? null : room - this.removed.root.offsetHeight - this.biases.offsetHeight;
  }

  /** The table twin's content, or null without a picture. @abstract @returns {Table | null} */
  table() {
    throw new Error("A view says what its table holds.");
  }

  /** The picture to save, or null without one. @abstract @returns {Picture | null} */
  picture() {
    throw new Error("A view says what is saved.");
  }

  /** Record what is on the screen, for tests and the benchmark. @param {readonly number[]} heads */
  notePainted(heads) {
    if (!this.message) return;
    this.root.dataset.painted = paintedName(this.message.extras.id, this.selection.layer, heads);
  }
}
