// @ts-check
// The selection of a page: one observable that all of its views share. A change shows at once, and Python reads it a
// moment later. Every change has a number, and Python sends back the number of the last one that it read, with the
// selection that it holds then. What was changed after that number is laid over what Python holds.
//
// The texts are part of it. They concern the fields alone, so that views are not called when they change, and Python tells
// of them earlier than of the rest. A text may have runs before Python has drawn it: views show these until it has.
/** @import { StripData } from "../token_strip/words.mjs" */
/** @import { Head, Marks, Scope, Selection, SelectionChanges, Texts } from "./types.mjs" */

const SELECTIONS = Symbol.for("headlight.selections");

/**
 * What Python tells of the texts.
 * @typedef {object} TextsTold
 * @property {Texts} texts what it holds
 * @property {Texts} linked what the page's address brings back
 * @property {boolean} held whether another key may follow, until which the address stays as it is
 * @property {string} visit another name than before means that the server has forgotten the page
 */

/**
 * Texts that the address does not bring back, with those that it does.
 * @typedef {{ visit: string, linked: Texts, texts: Texts }} Draft
 */

/**
 * @typedef {object} DirectRun a run of texts that Python has not drawn yet
 * @property {string | null} layers what names the run's layers in the store; null where the view draws none
 * @property {string | null} map the id of its map of all heads; null until that is drawn
 * @property {StripData} strip what the strip shows of it
 * @typedef {Map<string, DirectRun>} Runs by the texts that they are of
 */

/** @type {TextsTold} */
const NO_TEXTS = { texts: {}, linked: {}, held: false, visit: "" };

/**
 * @param {Selection} selection
 * @returns {Selection}
 */
function withoutPoints(selection) {
  return selection.points ? { ...selection, points: [] } : selection;
}

export class PageSelection {
  /** @type {Selection | null} */
  #confirmed = null;
  /** @type {Map<string, { value: unknown, number: number }>} */
  #pending = new Map();
  #told = NO_TEXTS;
  /** @type {{ texts: Texts, held: boolean, number: number } | null} */
  #typed = null; // texts that Python has not read
  /** @type {Head | null} */
  #previewed = null;
  #number;
  #seen = "";
  /** @type {Runs} */
  #runs = new Map();
  /** @type {Record<string, Marks>} */
  #marks = {};
  #numberOfRuns = -Infinity; // of the change that their texts are
  /** @type {Set<(what: "selection" | "runs") => void>} */
  #callbacks = new Set();

  /** @param {number} number from which changes are counted; a page that is loaded anew must not repeat numbers */
  constructor(number = Date.now()) {
    this.#number = number;
  }

  /**
   * The changes that Python has not read yet, but those of texts.
   * @returns {SelectionChanges}
   */
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

  /**
   * All changes that Python has not read, with the number of the last one; null where there are none.
   * @returns {{ number: number, changes: SelectionChanges & { held?: boolean } } | null}
   */
  get news() {
    const numbers = [this.unread, this.typed].filter((number) => number !== null);
    if (!numbers.length) return null;
    const { texts = {}, held } = this.#typed ?? {};
    return { number: Math.max(...numbers), changes: { ...this.pending, ...texts, ...(this.#typed && { held }) } };
  }

  /**
   * What somebody chose, or null before Python has told its part. Whoever chooses is pointed at nothing any more.
   * @returns {Selection | null}
   */
  get chosen() {
    const confirmed = this.#confirmed;
    return confirmed && { ...(this.#pending.size ? withoutPoints(confirmed) : confirmed), ...this.pending };
  }

  /**
   * What is to be seen now: the chosen selection, with the head that is previewed.
   * @returns {Selection | null}
   */
  get shown() {
    const { chosen } = this;
    return chosen && this.#previewed ? { ...withoutPoints(chosen), ...this.#previewed, heads: "" } : chosen;
  }

  /** A number for a message that comes after all changes. */
  nextNumber() {
    return ++this.#number;
  }

  /**
   * Call back after every change of the selection, and when there are other runs.
   * @param {(what: "selection" | "runs") => void} callback
   * @returns {() => void} ends it
   */
  subscribe(callback) {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  /** @param {SelectionChanges} changes */
  change(changes) {
    const number = this.nextNumber();
    for (const [name, value] of Object.entries(changes)) this.#pending.set(name, { value, number });
    this.#notify();
  }

  /**
   * Show a head until another one is previewed, or none.
   * @param {Head | null} head
   */
  preview(head) {
    this.#previewed = head;
    this.#notify();
  }

  /**
   * What Python holds after it has read the change with that number, and all before it.
   * @param {Selection} selection
   * @param {number | null} answered null where it has read none
   */
  confirm(selection, answered) {
    this.#confirmed = selection;
    for (const [name, { number }] of this.#pending) {
      if (answered !== null && number <= answered) this.#pending.delete(name);
    }
    this.#notify();
  }

  /** Nobody is called where everything is as it was. */
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

  /** The name of the session that told of the texts, "" before one has. */
  get visit() {
    return this.#told.visit;
  }

  /** What the fields hold. */
  get texts() {
    return this.#typed?.texts ?? this.#told.texts;
  }

  /** Whether another key may follow the last one. */
  get isHeld() {
    return (this.#typed ?? this.#told).held;
  }

  /**
   * What would be lost with the page, or null.
   * @returns {Draft | null}
   */
  get draft() {
    const { visit, linked } = this.#told;
    return isEqual(this.texts, linked) ? null : { visit, linked, texts: this.texts };
  }

  /** @param {Texts} texts what the fields hold now; another key may follow */
  type(texts) {
    this.#typed = { texts, held: true, number: this.nextNumber() };
  }

  /** No other key follows the last one. */
  settle() {
    if (this.isHeld) this.#typed = { texts: this.texts, held: false, number: this.nextNumber() };
  }

  /**
   * What Python holds after it has read the change with that number. Its texts count where nothing was typed since, and
   * where the server has forgotten the page and no draft is newer.
   * @param {TextsTold} told
   * @param {number | null} answered
   * @param {Draft | null} stored what the fields held before the page was loaded again
   * @returns {boolean} whether a draft was restored, of which Python has to be told
   */
  confirmTexts({ texts, linked, held, visit }, answered, stored = null) {
    const isForgotten = visit !== this.#told.visit;
    const draft = this.visit === "" ? stored : this.draft;
    this.#told = { texts: plain(texts), linked: plain(linked), held, visit };
    if (isForgotten || (this.#typed && this.#typed.number <= (answered ?? -Infinity))) this.#typed = null;
    const isRestored = isForgotten && draft !== null && isTypedOver(draft, this.#told);
    if (isRestored) this.type(draft.texts);
    return isRestored;
  }

  // --- runs that Python has not drawn yet ---

  /** What is marked in the texts that were run last. */
  get marks() {
    return this.#marks;
  }

  /** Whether Python has drawn all runs. */
  get isDrawn() {
    return this.#runs.size === 0;
  }

  /**
   * The run that a view shows, or undefined where that which Python drew is as new.
   * @param {readonly string[]} texts "A", "B" or both
   */
  runOf(texts) {
    return this.#runs.get(texts.join());
  }

  /**
   * @param {Runs} runs
   * @param {Record<string, Marks>} marks
   * @param {number} number of the change that their texts are
   */
  showRuns(runs, marks, number) {
    this.#runs = runs;
    this.#marks = marks;
    this.#numberOfRuns = number;
    this.#call("runs");
  }

  /**
   * Python has drawn the texts as they were after the change with that number.
   * @param {Record<string, Marks>} marks
   * @param {number | null} answered
   */
  confirmRuns(marks, answered) {
    if ((answered ?? -Infinity) < this.#numberOfRuns) this.#call("runs");
    else this.showRuns(new Map(), marks, this.#numberOfRuns);
  }
}

/**
 * Whether a draft was typed over what the page's address brings back, in a session that is over.
 * @param {Draft} draft
 * @param {TextsTold} told
 */
function isTypedOver(draft, { texts, linked, visit }) {
  return draft.visit !== visit && isEqual(draft.linked, linked) && !isEqual(draft.texts, texts);
}

/**
 * The texts as a field of the browser gives them back: it knows one kind of line break.
 * @param {Texts} texts
 * @returns {Texts}
 */
function plain(texts) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.replace(/\r\n?/g, "\n")]));
}

/**
 * @param {Texts} one
 * @param {Texts} other
 */
export function isEqual(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/**
 * The selection of a page, or of any other object. The encoder's page and the decoder's have one each.
 * @param {Scope} scope
 * @param {object} owner
 * @returns {PageSelection}
 */
export function selectionOf(scope, owner = window) {
  const owners = /** @type {{ [SELECTIONS]?: Map<Scope, PageSelection> }} */ (owner);
  const selections = (owners[SELECTIONS] ??= new Map());
  const selection = selections.get(scope) ?? new PageSelection();
  selections.set(scope, selection);
  return selection;
}
