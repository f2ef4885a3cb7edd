// When typed text is sent. Times are milliseconds after the last key.

export const SETTLED = 40; // longer than the interval of a repeating key
export const SUPERSEDE_AFTER = 160; // the longest wait for the answer to the previous text
export const QUIET = 250; // Python is notified of a text rendered directly; longer than the interval at 5 keys a second
export const TYPING_ENDED = 1000; // typing has ended: the texts go into the address

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
 * While Python is idle, the first key after a pause sends its text at once, and so does the next pause. While Python runs
 * an earlier text, the next one is sent with the answer, or supersedes that run after a longer pause. The view follows as
 * fast as it can be rendered, and texts never queue.
 */
export class Pace {
  /** @type {number[]} */
  #timers = [];
  #waiting = false;
  #paused = true;
  #free = true;

  /**
   * @param {{ send: (supersedes: boolean) => void, notify: () => void, settle: () => void }} actions `send` renders the
   *   text and may supersede a run; `notify` sends Python a text rendered directly; `settle` reports that typing has ended
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
    this.#after(TYPING_ENDED, () => this.settle());
    if (isFirst && this.#free) this.#go();
  }

  /** Python has run the last text sent. */
  answer() {
    this.#free = true;
    if (this.#paused) this.#go();
  }

  /** Cancel pending timers. */
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

  /** @param {number} milliseconds @param {() => void} callback */
  #after(milliseconds, callback) {
    this.#timers.push(this.clock.set(callback, milliseconds));
  }
}
