// The user's tour in the storage of this tab, and the last tours of all tabs.
import { forget, keep, kept } from "../../shared/tab_storage.mjs";
/** @import { TabStorage } from "../../shared/tab_storage.mjs" */

const OWN = "tour";
const ALL = "tours";
const MOST = 3; // of 200,000 characters at most: browsers store some five million

/**
 * What Python sends; see __init__.py.
 * @typedef {object} Sent
 * @property {string | null} text
 * @property {number} revision
 * @property {string} visit
 * @property {boolean} awaited
 * @property {[number, number] | null} place
 */

export class Tours {
  #visit = ""; // the session that has received what is stored
  #revision = -1;

  /** @param {TabStorage | null} tab @param {TabStorage | null} [shared] storage of all tabs */
  constructor(tab, shared = null) {
    this.tab = tab;
    this.shared = shared;
  }

  /**
   * Store the text of a new revision. Returns the texts stored before the session, the newest last: this tab's, or in a
   * new tab those of the others. Returns null if the session has received them, or there are none and it does not wait: an
   * answer reruns the whole page.
   * @param {Pick<Sent, "text" | "revision" | "visit" | "awaited">} sent
   */
  receive({ text, revision, visit, awaited }) {
    const own = kept(this.tab, OWN);
    const texts = own === null ? textsIn(kept(this.shared, ALL)).reverse() : [own];
    const isNew = visit !== this.#visit;
    const isAnswered = isNew && (texts.length > 0 || (awaited && text === null));
    if (isAnswered || text !== null) this.#visit = visit;
    if (text !== null && (isNew || revision !== this.#revision)) this.store(text);
    this.#revision = revision;
    return isAnswered ? { visit, texts } : null;
  }

  /** Store a text in place of this tab's last one, "" for none. @param {string} text */
  store(text) {
    const before = kept(this.tab, OWN);
    const others = textsIn(kept(this.shared, ALL)).filter((other) => other !== before && other !== text);
    const all = text ? [text, ...others] : others;
    if (text) keep(this.tab, OWN, text);
    else forget(this.tab, OWN);
    if (all.length) keep(this.shared, ALL, JSON.stringify(all.slice(0, MOST)));
    else forget(this.shared, ALL);
  }
}

/**
 * The texts in a stored list, newest first; none if it is invalid, because other pages of this origin can write it.
 * @param {string | null} json @returns {string[]}
 */
function textsIn(json) {
  try {
    const list = JSON.parse(json ?? "[]");
    if (!Array.isArray(list)) return [];
    // Headlight 0.x stored { tab, text }.
    return list.map((entry) => entry?.text ?? entry).filter((text) => typeof text === "string");
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
