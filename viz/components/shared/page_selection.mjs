// The selection of a page: one observable that all its views share. A change shows at once and reaches Python later.
// Every change has a number. Python acknowledges the last number it has read and sends the selection it holds. Later
// changes are applied on top of that selection.
//
// The texts are part of the selection. Only the fields use them, so a change of text does not notify the views. Python
// sends and acknowledges the texts before the rest. A text may have direct runs, which views show until Python has
// rendered the text.
/** @import { StripData } from "../token_strip/words.mjs" */
/** @import { Head, Marks, Scope, Selection, SelectionChanges, Texts } from "./types.mjs" */

const PINS = ["query", "key", "pinned_in"];
const SELECTIONS = Symbol.for("headlight.selections");

/**
 * The texts as Python sends them.
 * @typedef {object} TextsUpdate
 * @property {Texts} texts that Python holds
 * @property {Texts} linked texts that the page's address restores
 * @property {boolean} held whether typing may continue; the address does not change before it ends
 * @property {string} visit id of the server's session; a new id means that the server lost the page's state
 */

/**
 * Texts that the address would not restore, and those that it would.
 * @typedef {{ visit: string, linked: Texts, texts: Texts }} Draft
 */

/**
 * @typedef {object} DirectRun a run of texts that Python has not rendered yet
 * @property {string | null} layers id prefix of the run's layers in the store; null where the view renders none
 * @property {string | null} map id of its map of all heads; null until the map arrives
 * @property {StripData} strip data of the token strip
 * @typedef {Map<string, DirectRun>} Runs by their texts
 */

/** @type {TextsUpdate} */
const NO_TEXTS = { texts: {}, linked: {}, held: false, visit: "" };

/** @param {Selection} selection @returns {Selection} */
function withoutPoints(selection) {
  return selection.points ? { ...selection, points: [] } : selection;
}

export class PageSelection {
  /** @type {Selection | null} */
  #confirmed = null;
  /** @type {Map<string, { value: unknown, number: number }>} */
  #pending = new Map();
  #received = NO_TEXTS;
  #read = -Infinity; // the last number that Python acknowledged with texts, in this visit
  /** @type {{ texts: Texts, held: boolean, number: number } | null} */
  #typed = null; // texts that Python has not read
  /** Whether the last change is one of many, which direct runs follow. */
  isLive = false;
  /** @type {Head | null} */
  #previewed = null;
  #number;
  #seen = "";
  /** @type {Runs} */
  #runs = new Map();
  /** @type {Record<string, Marks>} */
  #marks = {};
  #numberOfRuns = -Infinity; // of the change that set their texts
  #areOfLinks = false; // whether the runs follow changed links, not texts
  /** @type {Set<(what: "selection" | "runs") => void>} */
  #callbacks = new Set();

  /** @param {number} number where change numbers start; a reloaded page must not repeat numbers */
  constructor(number = Date.now()) {
    this.#number = number;
  }

  /** The changes that Python has not read yet, without the texts. @returns {SelectionChanges} */
  get pending() {
    return Object.fromEntries([...this.#pending].map(([name, { value }]) => [name, value]));
  }

  /** The number of the last of these changes, or null where Python has read all of them. */
  get unread() {
    return this.#pending.size ? Math.max(...[...this.#pending.values()].map(({ number }) => number)) : null;
  }

  /** The number of the last change of a text, or null where Python has read it. */
  get typed() {
    return this.#typed?.number ?? null;
  }

  /** Whether Python is asked at once for a link that was cut, or for a weight that is no longer dragged. */
  get asksForCut() {
    return this.#pending.has("cut") && !this.isLive;
  }

  /**
   * All changes that Python has not read, with the number of the last one; null where there are none.
   * @returns {{ number: number, changes: SelectionChanges } | null}
   */
  get unreadChanges() {
    const numbers = [this.unread, this.typed].filter((number) => number !== null);
    if (!numbers.length) return null;
    return { number: Math.max(...numbers), changes: { ...this.pending, ...this.#typed?.texts } };
  }

  /**
   * The user's selection, or null before Python has sent one. A user change clears the tour's highlight.
   * @returns {Selection | null}
   */
  get chosen() {
    const confirmed = this.#confirmed;
    return confirmed && { ...(this.#pending.size ? withoutPoints(confirmed) : confirmed), ...this.pending };
  }

  /** The selection to render: the user's, with the previewed head. @returns {Selection | null} */
  get shown() {
    const { chosen } = this;
    return chosen && this.#previewed ? { ...withoutPoints(chosen), ...this.#previewed, heads: "" } : chosen;
  }

  /** A number greater than that of every change so far. */
  nextNumber() {
    return ++this.#number;
  }

  /**
   * Subscribe to changes of the selection and of the direct runs.
   * @param {(what: "selection" | "runs") => void} callback
   * @param {AbortSignal} [signal] unsubscribes
   */
  subscribe(callback, signal) {
    this.#callbacks.add(callback);
    signal?.addEventListener("abort", () => this.#callbacks.delete(callback));
  }

  /**
   * @param {SelectionChanges} changes
   * @param {{ isLive?: boolean }} [options] whether more follow at once, as a slider is dragged
   */
  change(changes, { isLive = false } = {}) {
    this.isLive = isLive;
    const number = this.nextNumber();
    for (const [name, value] of Object.entries(changes)) this.#pending.set(name, { value, number });
    this.#notify();
  }

  /** Preview a head; null ends the preview. @param {Head | null} head */
  preview(head) {
    this.#previewed = head;
    this.#notify();
  }

  /**
   * Apply the selection that Python holds, and drop the changes that it has read.
   * @param {Selection} selection
   * @param {number | null} answered the last number that Python has read, or null
   */
  confirm(selection, answered) {
    this.#confirmed = selection;
    for (const [name, { number }] of this.#pending) {
      if (answered !== null && number <= answered) this.#pending.delete(name);
    }
    if (this.#areOfLinks && (answered ?? -Infinity) >= this.#numberOfRuns) {
      this.showRuns(new Map(), this.#marks, this.#numberOfRuns);
    }
    this.#notify();
  }

  /** Notify subscribers, unless nothing they see has changed. */
  #notify() {
    const seen = JSON.stringify([this.shown, this.chosen, this.unread]);
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#call("selection");
  }

  /** @param {"selection" | "runs"} what */
  #call(what) {
    for (const callback of [...this.#callbacks]) callback(what);
  }

  // --- texts ---

  /** The id of the server session that sent the texts, "" before the first. */
  get visit() {
    return this.#received.visit;
  }

  /** The contents of the fields. */
  get texts() {
    return this.#typed?.texts ?? this.#received.texts;
  }

  /** Whether typing may continue. */
  get isHeld() {
    return (this.#typed ?? this.#received).held;
  }

  /** The texts that a reload would lose, or null. @returns {Draft | null} */
  get draft() {
    const { visit, linked } = this.#received;
    return isEqual(this.texts, linked) ? null : { visit, linked, texts: this.texts };
  }

  /**
   * The user types. A pin that Python has not read is of the text before, and is dropped.
   * @param {Texts} texts contents of the fields
   */
  type(texts) {
    if (!isEqual(texts, this.texts)) for (const name of PINS) this.#pending.delete(name);
    this.#typed = { texts, held: true, number: this.nextNumber() };
    this.#notify();
  }

  /** The user has stopped typing. */
  settle() {
    if (this.isHeld) this.#typed = { texts: this.texts, held: false, number: this.nextNumber() };
  }

  /**
   * Apply the texts that Python holds. They win if nothing was typed since, or if the server lost the page's state and
   * no draft is newer. Texts that Python replaces lose their direct runs. Of the components that send texts, one may
   * repeat an update that is older than the last.
   * @param {TextsUpdate} update @param {number | null} answered
   * @param {Draft | null} stored draft stored before the page was reloaded
   * @returns {boolean} whether a draft was restored and must be sent to Python
   */
  confirmTexts({ texts, linked, held, visit }, answered, stored = null) {
    const isForgotten = visit !== this.visit;
    const read = answered ?? -Infinity;
    if (!isForgotten && read < this.#read) return false;
    this.#read = read;
    const before = this.texts;
    const draft = this.visit === "" ? stored : this.draft;
    this.#received = { texts: plain(texts), linked: plain(linked), held, visit };
    if (isForgotten || (this.#typed && this.#typed.number <= read)) this.#typed = null;
    const isRestored = isForgotten && draft !== null && isNewerThanLink(draft, this.#received);
    if (isRestored) this.type(draft.texts);
    if (!this.isDrawn && !isEqual(before, this.texts)) this.showRuns(new Map(), this.#marks, -Infinity);
    return isRestored;
  }

  // --- runs that Python has not rendered yet ---

  /** Marks in the texts of the last run. */
  get marks() {
    return this.#marks;
  }

  /** Whether Python has rendered every run. */
  get isDrawn() {
    return this.#runs.size === 0;
  }

  /**
   * The direct run of some texts, or undefined where Python's own run is as new.
   * @param {readonly string[]} texts "A", "B" or both
   */
  runOf(texts) {
    return this.#runs.get(texts.join());
  }

  /**
   * @param {Runs} runs @param {Record<string, Marks>} marks
   * @param {number} number of the change that set their texts
   * @param {boolean} [areOfLinks] whether that changed links, not texts
   */
  showRuns(runs, marks, number, areOfLinks = false) {
    this.#runs = runs;
    this.#areOfLinks = areOfLinks;
    this.#marks = marks;
    this.#numberOfRuns = number;
    this.#call("runs");
  }

  /**
   * Python has rendered the texts up to the acknowledged change.
   * @param {Record<string, Marks>} marks @param {number | null} answered
   */
  confirmRuns(marks, answered) {
    if (this.#areOfLinks || (answered ?? -Infinity) < this.#numberOfRuns) this.#call("runs");
    else this.showRuns(new Map(), marks, this.#numberOfRuns);
  }
}

/**
 * Whether a draft from an earlier server session changed the texts that the page's address restores.
 * @param {Draft} draft @param {TextsUpdate} update
 */
function isNewerThanLink(draft, { texts, linked, visit }) {
  return draft.visit !== visit && isEqual(draft.linked, linked) && !isEqual(draft.texts, texts);
}

/** The texts with the line breaks that a browser's field uses. @param {Texts} texts @returns {Texts} */
function plain(texts) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.replace(/\r\n?/g, "\n")]));
}

/** @param {Texts} one @param {Texts} other */
export function isEqual(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/**
 * The selection of a page, or of another owner; one for each scope.
 * @param {Scope} scope @param {object} owner @returns {PageSelection}
 */
export function selectionOf(scope, owner = window) {
  const owners = /** @type {{ [SELECTIONS]?: Map<Scope, PageSelection> }} */ (owner);
  const selections = (owners[SELECTIONS] ??= new Map());
  const selection = selections.get(scope) ?? new PageSelection();
  selections.set(scope, selection);
  return selection;
}
