// @ts-check
// When what is typed is sent. The times are milliseconds after the last key.

export const SETTLED = 40; // more than between the repeats of a key that is held down
export const SUPERSEDE_AFTER = 160; // a text does not wait longer than this for the answer to the one before it
export const QUIET = 250; // Python is told of a text that it was not sent: who types 5 keys a second goes on typing
export const STILL = 1000; // the texts are no longer held: they go into the address

/**
 * @typedef {object} Clock
 * @property {(callback: () => void, milliseconds: number) => number} set
 * @property {(timer: number) => void} clear
 */

/** @type {Clock} */
const CLOCK = {
  set: (callback, milliseconds) => window.setTimeout(callback, milliseconds),
  clear: (timer) => window.clearTimeout(timer),
};

/**
 * While Python is free, the first key after a pause sends its text at once, and so does the next pause. While Python is
 * at work on an earlier text, the next goes out with the answer, or overtakes that run when the keys pause for longer.
 * So the picture follows as fast as it can be drawn, and no text waits behind others.
 */
export class Pace {
  /** @type {number[]} */
  #timers = [];
  #waiting = false;
  #paused = true;
  #free = true;

  /**
   * @param {{ send: (supersedes: boolean) => void, notify: () => void, settle: () => void }} actions have what is typed
   *   drawn, which may overtake a run; tell Python of it, where it was drawn without; say that it stays
   * @param {Clock} clock
   */
  constructor({ send, notify, settle }, clock = CLOCK) {
    this.send = send;
    this.notify = notify;
    this.settle = settle;
    this.clock = clock;
  }

  /** A key was pressed. */
  touch() {
    const isFirst = this.#paused;
    this.stop();
    this.#waiting = true;
    this.#paused = false;
    this.#after(SETTLED, () => {
      this.#paused = true;
      if (this.#free) this.#go();
    });
    this.#after(SUPERSEDE_AFTER, () => this.#go());
    this.#after(QUIET, () => this.notify());
    this.#after(STILL, () => this.settle());
    if (isFirst && this.#free) this.#go();
  }

  /** Python has run the last text that was sent. */
  answer() {
    this.#free = true;
    if (this.#paused) this.#go();
  }

  /** The texts were sent another way, or there is nothing to send any more. */
  stop() {
    for (const timer of this.#timers) this.clock.clear(timer);
    this.#timers = [];
    this.#waiting = false;
    this.#paused = true;
  }

  #go() {
    if (!this.#waiting) return;
    const supersedes = !this.#free;
    this.#waiting = this.#free = false;
    this.send(supersedes);
  }

  /**
   * @param {number} milliseconds
   * @param {() => void} callback
   */
  #after(milliseconds, callback) {
    this.#timers.push(this.clock.set(callback, milliseconds));
  }
}
