// @ts-check
// When what is typed is sent. The times are milliseconds after the last key.

export const SETTLED = 40; // more than between the repeats of a key that is held down
export const OVERTAKES = 160; // a text does not wait longer than this for the answer to the one before it
export const STILL = 1000; // the texts are no longer held: they go into the address

/**
 * @typedef {object} Clock
 * @property {(callback: () => void, milliseconds: number) => unknown} set
 * @property {(timer: any) => void} clear
 */

/** @type {Clock} */
const CLOCK = {
  set: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clear: (timer) => clearTimeout(timer),
};

/**
 * While Python is free, a text goes out as soon as the keys pause. While it is at work on an earlier one, the next goes
 * out with the answer, or overtakes that run when the keys pause for longer. So the picture follows as fast as it can
 * be drawn, and no text waits behind others.
 */
export class Pace {
  /** @type {unknown[]} */
  #timers = [];
  #waiting = false;
  #paused = false;
  #free = true;

  /**
   * @param {{ send: () => void, settle: () => void }} actions send what is typed; say that it stays
   * @param {Clock} clock
   */
  constructor({ send, settle }, clock = CLOCK) {
    this.send = send;
    this.settle = settle;
    this.clock = clock;
  }

  /** A key was pressed. */
  touch() {
    this.stop();
    this.#waiting = true;
    this.#after(SETTLED, () => {
      this.#paused = true;
      if (this.#free) this.#go();
    });
    this.#after(OVERTAKES, () => this.#go());
    this.#after(STILL, () => this.settle());
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
    this.#waiting = this.#paused = false;
  }

  #go() {
    if (!this.#waiting) return;
    this.#waiting = this.#paused = this.#free = false;
    this.send();
  }

  /**
   * @param {number} milliseconds
   * @param {() => void} callback
   */
  #after(milliseconds, callback) {
    this.#timers.push(this.clock.set(callback, milliseconds));
  }
}
