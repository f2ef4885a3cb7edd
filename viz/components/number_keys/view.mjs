// @ts-check
// Clicks the first option of a choice where somebody presses 1, the second at 2, and so on. See __init__.py.
import { isShortcut } from "../shared/keys.mjs";
import { isTyped } from "../shared/typed.mjs";
import { View, mounting } from "../shared/view.mjs";

/**
 * @typedef {{ choice: string, answered?: null }} KeysData
 */

/**
 * Which option a key chooses, counted from 0, or null.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "defaultPrevented">} event
 */
export function optionOf(event) {
  if (event.repeat || event.defaultPrevented || isShortcut(event)) return null;
  return /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : null;
}

/** @extends {View<KeysData>} */
class NumberKeys extends View {
  /** @param {HTMLElement} root @param {KeysData} data */
  constructor(root, data) {
    super(root, data);
    this.listen(document, "keydown", (event) => {
      const option = optionOf(event);
      if (option !== null && !isTyped(event)) this.#choose(option);
    });
  }

  /** @param {number} option */
  #choose(option) {
    const options = document.querySelectorAll(`.st-key-${CSS.escape(this.data.choice)} [role="radio"]`);
    const chosen = options[option];
    if (chosen instanceof HTMLElement) chosen.click();
  }
}

export default await mounting((root, data) => new NumberKeys(root, /** @type {KeysData} */ (data)));
