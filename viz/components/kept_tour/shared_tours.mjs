// @ts-check
// The tours that the tabs of a browser make: the last state of each of the tabs that changed theirs last, newest first.
import { forget, keep, kept } from "../shared/tab_storage.mjs";
/** @import { TabStorage } from "../shared/tab_storage.mjs" */

const TOURS = "tours";
const TAB = "tab";
const MOST = 3; // of 200,000 characters at most: browsers store some five million

/** @typedef {{ tab: string, text: string }} TabTour */

export class SharedTours {
  /** @param {TabStorage | null} tab @param {TabStorage | null} shared */
  constructor(tab, shared) {
    this.tab = tab;
    this.shared = shared;
  }

  /** The texts of all tours, newest first. */
  get texts() {
    return toursIn(kept(this.shared, TOURS)).map(({ text }) => text);
  }

  /**
   * Store this tab's tour in place of its state before, and of the same one that was made in another tab.
   * @param {string} text "" where it was deleted
   * @param {string} before
   */
  put(text, before) {
    const tab = this.#tabName();
    const others = toursIn(kept(this.shared, TOURS)).filter(
      (tour) => tour.tab !== tab && tour.text !== text && tour.text !== before,
    );
    const tours = text ? [{ tab, text }, ...others] : others;
    if (tours.length) keep(this.shared, TOURS, JSON.stringify(tours.slice(0, MOST)));
    else forget(this.shared, TOURS);
  }

  #tabName() {
    const known = kept(this.tab, TAB);
    if (known !== null) return known;
    const name = Math.random().toString(36).slice(2);
    keep(this.tab, TAB, name);
    return name;
  }
}

/**
 * The tours that a stored text holds; none where it holds something else, because other pages of this address can write
 * here, too.
 * @param {string | null} json
 * @returns {TabTour[]}
 */
function toursIn(json) {
  try {
    const tours = JSON.parse(json ?? "[]");
    return Array.isArray(tours) ? tours.filter(isTour) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** @param {unknown} value @returns {value is TabTour} */
function isTour(value) {
  const { tab, text } = /** @type {Partial<TabTour>} */ (value ?? {});
  return typeof tab === "string" && typeof text === "string";
}
