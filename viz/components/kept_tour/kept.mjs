// @ts-check
// What the keeper does with what Python says.
import { forget, keep, kept } from "../shared/tab_storage.mjs";
import { SharedTours } from "./shared_tours.mjs";
/** @import { TabStorage } from "../shared/tab_storage.mjs" */

const NAME = "tour";
const DRAFT = "tour draft";
const FIELD = /^st-key-((?:tour_text|stop_\d+)_[a-z]+)$/; // Streamlit's class of a field of the editor

/**
 * What Python sends.
 * @typedef {{ text: string | null, visit: string, awaited: boolean }} Told `text` is null where Python has not heard
 *   what was kept; `awaited` where it waits to hear that, also that there is nothing
 */

/**
 * What stands in a field of the editor that was not left: Streamlit sends a text when its field is left.
 * @typedef {{ field: string, text: string }} Draft
 */

/**
 * The Streamlit key of the editor's field that an element is part of, or null.
 * @param {Element} target
 */
export function fieldOf(target) {
  const classes = [...(target.closest("[class*='st-key-tour_text_'], [class*='st-key-stop_']")?.classList ?? [])];
  return classes.map((name) => FIELD.exec(name)?.[1] ?? null).find((field) => field !== null) ?? null;
}

export class Keeper {
  /** @type {Set<string>} fields whose texts Python may not have yet, in the order in which they were typed into */
  #typed = new Set();
  #visit = ""; // the session that needs to be told no more

  /**
   * @param {TabStorage | null} storage of the tab
   * @param {TabStorage | null} [shared] of all tabs
   */
  constructor(storage, shared = null) {
    this.storage = storage;
    this.tours = new SharedTours(storage, shared);
  }

  /**
   * Keep the tour, and give back the one that was kept before this session, "" for none, with what was being typed. A tab
   * that has none is given the newest of the other tabs, and theirs that are older, the newest last. Null where Python
   * knows, or where there is neither and nobody waits to hear it: each answer is a run of the whole page.
   * A tour that changes has what was typed first since it changed before.
   * @param {Told} told
   * @returns {{ visit: string, text: string, draft: Draft | null, older: string[] } | null}
   */
  receive({ text, visit, awaited }) {
    const own = kept(this.storage, NAME);
    const [last = "", ...older] = own === null ? this.tours.texts : [own];
    const draft = draftIn(kept(this.storage, DRAFT));
    const isTold = visit !== this.#visit && (awaited || last !== "" || draft !== null);
    if (isTold || text !== null) this.#visit = visit;
    if (text !== null && text !== last) this.#dropDraft();
    if (text !== null && text !== (own ?? "")) this.tours.put(text, own ?? "");
    if (text === "") forget(this.storage, NAME);
    else if (text !== null) keep(this.storage, NAME, text);
    return isTold ? { visit, text: last, draft, older: older.reverse() } : null;
  }

  /** The draft goes once the tour has changed as often as fields were typed into. */
  #dropDraft() {
    const [first] = this.#typed;
    this.#typed.delete(first);
    if (!this.#typed.size) forget(this.storage, DRAFT);
  }

  /**
   * Keep what is being typed.
   * @param {string} field
   * @param {string} text
   */
  note(field, text) {
    this.#typed.add(field);
    keep(this.storage, DRAFT, JSON.stringify({ field, text }));
  }
}

/**
 * The draft that a kept text says; null where it says none, because other pages of this address can write here, too.
 * @param {string | null} json
 * @returns {Draft | null}
 */
function draftIn(json) {
  try {
    const { field, text } = JSON.parse(json ?? "{}") ?? {};
    return typeof field === "string" && typeof text === "string" ? { field, text } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
