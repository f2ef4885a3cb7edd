// @ts-check
// What the keeper does with what Python says.
import { forget, keep, kept } from "../shared/tab_storage.mjs";
/** @import { TabStorage } from "../shared/tab_storage.mjs" */

const NAME = "tour";

/**
 * What Python sends.
 * @typedef {{ text: string | null, visit: string }} Told `text` is null where Python has not heard what was kept
 */

export class Keeper {
  #visit = ""; // the session that was told what was kept

  /** @param {TabStorage | null} storage */
  constructor(storage) {
    this.storage = storage;
  }

  /**
   * Keep the tour, and give back the one that was kept before this session, "" for none; null where Python knows.
   * @param {Told} told
   * @returns {{ visit: string, text: string } | null}
   */
  receive({ text, visit }) {
    const before = visit === this.#visit ? null : { visit, text: kept(this.storage, NAME) ?? "" };
    this.#visit = visit;
    if (text === "") forget(this.storage, NAME);
    else if (text !== null) keep(this.storage, NAME, text);
    return before;
  }
}
