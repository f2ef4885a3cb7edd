// The user's tour in the storage of this tab, and in that of later tabs.
import { forget, keep, kept } from "../../shared/tab_storage.mjs";
/** @import { TabStorage } from "../../shared/tab_storage.mjs" */

const NAME = "tour";

/**
 * What Python sends; see __init__.py.
 * @typedef {object} Sent
 * @property {string | null} text
 * @property {number} revision
 * @property {string} visit
 * @property {boolean} awaited
 * @property {[number, number] | null} place
 */

export class Tour {
  #visit = ""; // the session that has received what is stored
  #revision = -1;

  /** @param {TabStorage | null} tab @param {TabStorage | null} [shared] storage of all tabs: the text changed last */
  constructor(tab, shared = null) {
    this.tab = tab;
    this.shared = shared;
  }

  /**
   * Store the text of a new revision. Returns what was stored before the session: this tab's text or, in a new tab, the
   * one that was changed last. Null if the session has it, and without a text that it waits for: an answer reruns the
   * whole page.
   * @param {Pick<Sent, "text" | "revision" | "visit" | "awaited">} sent
   */
  receive({ text, revision, visit, awaited }) {
    const stored = kept(this.tab, NAME) ?? kept(this.shared, NAME);
    const isNew = visit !== this.#visit;
    const isAnswered = isNew && (stored !== null || (awaited && text === null));
    if (isAnswered || text !== null) this.#visit = visit;
    if (text !== null && (isNew || revision !== this.#revision)) this.store(text);
    this.#revision = revision;
    return isAnswered ? { visit, text: stored ?? "" } : null;
  }

  /**
   * Store a text in place of the last one, "" for none.
   * @param {string} text
   */
  store(text) {
    const isOurs = kept(this.shared, NAME) === kept(this.tab, NAME); // or another tab's
    if (text) for (const storage of [this.tab, this.shared]) keep(storage, NAME, text);
    else {
      if (isOurs) forget(this.shared, NAME);
      forget(this.tab, NAME);
    }
  }
}
