// @ts-check
// What Python found out about the texts of some fields, and the short way back to it. It is kept on the window, because
// one component receives it and another one shows it.

const KNOWN = Symbol.for("headlight.known_texts");

/**
 * What is marked in a text; see `viz/payloads/text_marks.py`.
 * @typedef {{ read: string, cut: boolean, pieces: (readonly [number, number])[] }} Marks
 */

/**
 * @typedef {object} Known
 * @property {Record<string, Marks>} marks by the field's name
 * @property {number | null} answered number of the message whose texts were run
 * @property {number | null} slow seconds that a run takes, where they are too many to run with every pause of the keys
 * @property {Record<string, string> | null} linked what the page's address brings back
 * @property {string | null} direct where the page's picture of a text can be had without the page
 */

export class KnownTexts {
  /** @type {Known} */
  now = { marks: {}, answered: null, slow: null, linked: null, direct: null };
  /** @type {((message: unknown) => void) | null} tells Python what is typed, where only what shows it is drawn anew */
  send = null;
  #changes = new EventTarget();

  /**
   * @param {Known} known
   * @param {KnownTexts["send"]} [send]
   */
  put(known, send = null) {
    this.now = known;
    this.send = send;
    this.#changes.dispatchEvent(new Event("change"));
  }

  /**
   * Marks that came before the rest.
   * @param {Record<string, Marks>} marks
   */
  putMarks(marks) {
    this.now = { ...this.now, marks };
  }

  /**
   * @param {() => void} callback
   * @param {AbortSignal} signal ends the calls
   */
  whenPut(callback, signal) {
    this.#changes.addEventListener("change", callback, { signal });
  }
}

/**
 * What is known of the texts of the fields with that key.
 * @param {string} key
 * @param {object} owner
 */
export function knownOf(key, owner = window) {
  const kept = /** @type {{ [KNOWN]?: Map<string, KnownTexts> }} */ (owner);
  const all = (kept[KNOWN] ??= new Map());
  const known = all.get(key) ?? new KnownTexts();
  all.set(key, known);
  return known;
}
