// @ts-check
// The choice between all attention of a pair and that from one sentence to itself or to the other.
import { button, element } from "../shared/elements.mjs";
import { HORIZONTAL, VERTICAL, movedWithin } from "../shared/keys.mjs";
/** @import { SentenceFilter } from "../shared/types.mjs" */

/** @type {readonly SentenceFilter[]} */
const FILTERS = ["all", "A→A", "A→B", "B→A", "B→B"];
const HELP = "Of a pair: only the attention from one sentence to itself or to the other.";
const STEPS = { ...HORIZONTAL, ...VERTICAL };

export class SentenceChoice {
  /** @param {(filter: SentenceFilter) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.root = element("div", "sentences");
    this.root.setAttribute("role", "radiogroup");
    this.root.setAttribute("aria-label", "From → to");
    this.root.title = HELP;
    this.buttons = FILTERS.map((filter) => {
      const made = button(filter, () => choose(filter));
      made.setAttribute("role", "radio");
      return made;
    });
    this.root.append(element("span", "name", "From → to"), ...this.buttons);
  }

  /**
   * Show what is chosen.
   * @param {SentenceFilter} chosen
   * @param {boolean} isEnabled whether the picture follows it
   */
  update(chosen, isEnabled) {
    this.buttons.forEach((each, index) => {
      const isChosen = FILTERS[index] === chosen;
      each.setAttribute("aria-checked", String(isChosen));
      each.tabIndex = isChosen ? 0 : -1;
      each.disabled = !isEnabled;
    });
  }

  /**
   * @param {string} key
   * @returns {boolean} whether the key moves the choice
   */
  press(key) {
    const chosen = this.buttons.findIndex((each) => each.tabIndex === 0);
    const next = movedWithin(key, chosen, [0, FILTERS.length], STEPS);
    if (next === null) return false;
    this.choose(FILTERS[next]);
    this.buttons[next].focus();
    return true;
  }
}
