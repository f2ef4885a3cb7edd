// @ts-check
// Runs of a text that is being typed, which views show before Python tells of them.
/** @import { StripData } from "../token_strip/words.mjs" */

const RUNS = Symbol.for("headlight.direct_runs");

/**
 * @typedef {object} DirectRun
 * @property {string | null} layers what names the run's layers in the store; null where the view draws none
 * @property {string | null} map the id of its map of all heads; null until that is drawn
 * @property {StripData} strip what the strip shows of it
 * @typedef {Map<string, DirectRun>} Runs by the texts that they are of
 */

/** Runs that are newer than those that Python has told of. */
export class DirectRuns {
  /** @type {Runs} */
  #runs = new Map();
  #number = -Infinity;
  #changes = new EventTarget();

  /** Whether Python has told of all runs. */
  get isEmpty() {
    return this.#runs.size === 0;
  }

  /**
   * The run that a view shows, or undefined where that which Python told of is as new.
   * @param {readonly string[]} texts "A", "B" or both
   */
  of(texts) {
    return this.#runs.get(texts.join());
  }

  /**
   * @param {Runs} runs
   * @param {number} number of the message that will tell Python of the texts
   */
  show(runs, number) {
    this.#runs = runs;
    this.#number = number;
    this.#changes.dispatchEvent(new Event("change"));
  }

  /**
   * Python has told of the runs of a message, and of all before it.
   * @param {number | null} answered
   */
  dropUntil(answered) {
    if (answered !== null && answered >= this.#number && this.#runs.size) this.show(new Map(), this.#number);
  }

  /**
   * @param {() => void} callback
   * @param {AbortSignal} signal ends the calls
   */
  whenChanged(callback, signal) {
    this.#changes.addEventListener("change", callback, { signal });
  }
}

/**
 * Those of a page, or of any other object.
 * @param {object} owner
 * @returns {DirectRuns}
 */
export function directRunsOf(owner = window) {
  const owners = /** @type {{ [RUNS]?: DirectRuns }} */ (owner);
  return (owners[RUNS] ??= new DirectRuns());
}
