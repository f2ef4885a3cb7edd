// @ts-check
// The selection of a page: one observable that all of its views share. A change shows at once, and Python reads it a
// moment later. Every change has a number, and Python sends back the number of the last one that it read, with the
// selection that it holds then. What was changed after that number is laid over what Python holds.
/** @import { Head, Scope, Selection, SelectionChanges } from "./types.mjs" */

const SELECTIONS = Symbol.for("headlight.selections");

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
  /** @type {Set<() => void>} */
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
   * Call back after every change.
   * @param {() => void} callback
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
    for (const callback of [...this.#callbacks]) callback();
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
