// The user's tours in the browser's storage, which all tabs share.
import { forget, kept } from "../../shared/tab_storage.mjs";
/** @import { TabStorage } from "../../shared/tab_storage.mjs" */

const TOURS = "headlight.tours";
const ONLY_TOUR = "tour"; // where the browser stored the only tour that it had room for
const ITS_NAME = "own"; // in old links

/**
 * What Python sends; see __init__.py.
 * @typedef {object} Sent
 * @property {string} name
 * @property {string | null} text
 * @property {number} revision
 * @property {string} visit
 * @property {boolean} awaited
 * @property {[number, number] | null} place
 */

/** @typedef {[name: string, text: string]} Entry */

export class Tours {
  #visit = ""; // the session that has received what is stored
  #name = "";
  /** @type {Map<string, number>} the revision of each tour that is stored */
  #revisions = new Map();
  /** Whether the browser did not store the last change. */
  isRefused = false;

  /** @param {TabStorage | null} storage */
  constructor(storage) {
    this.storage = storage;
  }

  /**
   * Store the text of a new revision. Returns what was stored before the session, the tour that was changed last first.
   * Null if the session has it, and without a tour that it waits for: an answer reruns the whole page.
   * @param {Omit<Sent, "place">} sent
   */
  receive({ name, text, revision, visit, awaited }) {
    const stored = this.#stored();
    const isNew = visit !== this.#visit;
    if (isNew) this.#revisions.clear();
    const isAnswered = isNew && (stored.length > 0 || (awaited && text === null));
    if (isAnswered || text !== null) this.#visit = visit;
    this.#name = name;
    if (text !== null && revision !== (this.#revisions.get(name) ?? 0)) this.store(text);
    this.#revisions.set(name, revision);
    return isAnswered ? { visit, tours: stored } : null;
  }

  /**
   * Store a text in place of the current tour's last one, "" for none. If the browser refuses, the last one stays.
   * @param {string} text
   */
  store(text) {
    const others = this.#stored().filter(([name]) => name !== this.#name);
    /** @type {Entry[]} */
    const own = text ? [[this.#name, text]] : [];
    this.isRefused = this.storage === null;
    try {
      this.storage?.setItem(TOURS, JSON.stringify([...own, ...others]));
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      this.isRefused = true; // there is no room
      return;
    }
    forget(this.storage, ONLY_TOUR);
  }

  /** @returns {Entry[]} */
  #stored() {
    const only = kept(this.storage, ONLY_TOUR);
    const stored = this.storage?.getItem(TOURS);
    return [...(only === null ? [] : [[ITS_NAME, only]]), ...(stored ? JSON.parse(stored) : [])];
  }
}
