// @ts-check
// Tells Python of changes of the selection: the last state only, when nothing was changed for a moment, at once where a
// view waits for bytes or for Python's picture. One message is on its way at a time.
/** @import { PageSelection } from "./page_selection.mjs" */
/** @import { Scope, Selection, SelectionChanges } from "./types.mjs" */

export const QUIET = 200; // milliseconds
export const PATIENCE = 3000; // milliseconds, after which a message that has no answer is sent again: it may be lost

/**
 * @typedef {{ scope: Scope, number: number, changes: SelectionChanges, waiting: boolean }} HostMessage
 */

/**
 * One timer; setting it again begins anew.
 * @typedef {{ set: (milliseconds: number, callback: () => void) => void, clear: () => void }} Timer
 */

export class Host {
  /** @type {number | null} of the message that has no answer yet */
  #awaited = null;
  /** @type {(message: HostMessage) => void} */
  #send = () => {};
  #isEager = false;

  /**
   * @param {object} options
   * @param {Scope} options.scope
   * @param {PageSelection} options.selection
   * @param {() => boolean} options.isWaiting whether a view waits for bytes
   * @param {Timer} options.timer
   */
  constructor({ scope, selection, isWaiting, timer }) {
    this.scope = scope;
    this.selection = selection;
    this.isWaiting = isWaiting;
    this.timer = timer;
    selection.subscribe(() => queueMicrotask(() => this.deliver())); // when all views have seen the change
  }

  /**
   * What Python told.
   * @param {{ selection: Selection, answered: number | null, eager: boolean }} told `eager` where Python draws the
   *   picture, which is not to wait
   * @param {(message: HostMessage) => void} send
   */
  receive({ selection, answered, eager }, send) {
    this.#send = send;
    this.#isEager = eager;
    if (this.#awaited !== null && answered !== null && answered >= this.#awaited) this.#awaited = null;
    this.selection.confirm(selection, answered);
    this.deliver();
  }

  /** Send what is to be sent, now or in a moment. */
  deliver() {
    if (this.#awaited !== null) return; // its answer goes on from here, or the timer that waits for it
    if (this.selection.unread !== null) {
      if (this.#isEager || this.isWaiting()) this.flush();
      else this.timer.set(QUIET, () => this.flush());
    } else if (this.isWaiting()) {
      this.timer.set(PATIENCE, () => this.#remind());
    } else {
      this.timer.clear();
    }
  }

  /** Send the changes that Python has not read, unless a message is on its way. */
  flush() {
    if (this.selection.unread !== null && this.#awaited === null) this.#sendNow(this.selection.unread);
  }

  /** A message got lost, or the bytes that were expected. */
  #remind() {
    const { unread } = this.selection;
    if (unread !== null || this.isWaiting()) this.#sendNow(unread ?? this.selection.nextNumber());
  }

  /** @param {number} number */
  #sendNow(number) {
    this.#awaited = number;
    this.timer.set(PATIENCE, () => this.#remind());
    this.#send({ scope: this.scope, number, changes: this.selection.pending, waiting: this.isWaiting() });
  }
}
