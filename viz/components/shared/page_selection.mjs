// @ts-check
// The selection of a page: one observable that all of its views share. A change shows at once, and Python reads it a
// moment later. Every change has a number, and Python sends back the number of the last one that it read, with the
// selection that it holds then. What was changed after that number is laid over what Python holds. A text that is being
// typed may have runs before Python has drawn it: views show these until it has.
/** @import { StripData } from "../token_strip/words.mjs" */
/** @import { Head, Scope, Selection, SelectionChanges } from "./types.mjs" */

const SELECTIONS = Symbol.for("headlight.selections");

/**
 * @typedef {object} DirectRun a run of texts that Python has not drawn yet
 * @property {string | null} layers what names the run's layers in the store; null where the view draws none
 * @property {string | null} map the id of its map of all heads; null until that is drawn
 * @property {StripData} strip what the strip shows of it
 * @typedef {Map<string, DirectRun>} Runs by the texts that they are of
 */

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
  /** @type {Head | null} */
  #previewed = null;
  #number;
  #seen = "";
  /** @type {Runs} */
  #runs = new Map();
  #numberOfRuns = -Infinity; // of the message that tells Python of their texts
  /** @type {Set<(what: "selection" | "runs") => void>} */
  #callbacks = new Set();

  /** @param {number} number from which changes are counted; a page that is loaded anew must not repeat numbers */
  constructor(number = Date.now()) {
    this.#number = number;
  }

  /**
   * The changes that Python has not read yet.
   * @returns {SelectionChanges}
   */
  get pending() {
    return Object.fromEntries([...this.#pending].map(([name, { value }]) => [name, value]));
  }

  /** The number of the last change, or null where Python has read all of them. */
  get unread() {
    return this.#pending.size ? Math.max(...[...this.#pending.values()].map(({ number }) => number)) : null;
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

  // --- runs that Python has not drawn yet ---

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
   * @param {number} number of the message that tells Python of their texts
   */
  showRuns(runs, number) {
    this.#runs = runs;
    this.#numberOfRuns = number;
    this.#call("runs");
  }

  /**
   * Python has drawn the texts of a message, and of all before it.
   * @param {number | null} answered
   */
  dropRuns(answered) {
    const areOld = answered !== null && answered >= this.#numberOfRuns;
    if (areOld && !this.isDrawn) this.showRuns(new Map(), this.#numberOfRuns);
  }
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
