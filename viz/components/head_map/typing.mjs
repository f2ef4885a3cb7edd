// Reads a typed layer or head: 7 or 11 for a head, L3 for a layer, M for the mean.
import { MEAN } from "../shared/selection.mjs";
/** @import { Head } from "../shared/types.mjs" */

const PAUSE = 1000; // milliseconds after which a digit starts a new number

export class TypedChoice {
  /** @type {keyof Head} */
  #axis = "head";
  #digits = "";
  #last = -Infinity;

  /**
   * The choice of a key, or null. A number out of range becomes its last digit.
   * @param {string} key
   * @param {number} now in milliseconds
   * @param {Head} chosen
   * @param {Record<keyof Head, number>} counts how many layers and heads there are
   * @returns {Head | null}
   */
  press(key, now, chosen, counts) {
    if (now - this.#last > PAUSE) this.#begin("head");
    this.#last = now;
    const letter = key.toUpperCase();
    if (letter === "L" || letter === "H") {
      this.#begin(letter === "L" ? "layer" : "head");
      return chosen;
    }
    if (letter === "M") {
      this.#begin("head");
      return { ...chosen, head: MEAN };
    }
    if (!/^[0-9]$/.test(key)) {
      this.#begin("head");
      return null;
    }
    const fits = [this.#digits + key, key].find((digits) => Number(digits) < counts[this.#axis]);
    this.#digits = fits ?? "";
    return fits === undefined ? chosen : { ...chosen, [this.#axis]: Number(fits) };
  }

  /** @param {keyof Head} axis */
  #begin(axis) {
    this.#axis = axis;
    this.#digits = "";
  }
}
