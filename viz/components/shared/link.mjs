// @ts-check
// Changes of the selection on their way to Python.
//
// A click shows at once, and Python reads it a moment later. Every message has a number, and Python sends back the last
// number that it read. Until then the changes are laid over the selection that Python sends, which is older than they.
/** @import { SetTriggerValue } from "./types.mjs" */

/** @template {object} Changes */
export class Link {
  #number = Date.now(); // a view that is mounted anew must not repeat the numbers of the one before it
  /** @type {number | null} */
  #sent = null;
  /** @type {Partial<Changes>} */
  #pending = {};

  /**
   * Send changes together with those that have no answer yet: Python may read two quick clicks as one.
   * @param {Partial<Changes>} changes
   * @param {SetTriggerValue} setTriggerValue
   */
  send(changes, setTriggerValue) {
    this.#pending = { ...this.#pending, ...changes };
    this.#sent = ++this.#number;
    setTriggerValue("selection", { number: this.#sent, changes: this.#pending });
  }

  /**
   * Forget the changes that are pending if Python has read the last of them.
   * @param {number | null | undefined} answered the number that Python sent back
   */
  acknowledge(answered) {
    if (answered === this.#sent) this.#pending = {};
  }

  /**
   * What Python sent, with the pending changes laid over it.
   * @template {object} Selected
   * @param {Selected} selection
   * @returns {Selected & Partial<Changes>}
   */
  merged(selection) {
    return { ...selection, ...this.#pending };
  }
}
