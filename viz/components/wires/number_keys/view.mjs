// Clicks the first option of a choice on key 1, the second on 2, and so on. See __init__.py.
import { element } from "../../shared/elements.mjs";
import { isTyped } from "../../shared/keys.mjs";
import { isAboutSingleKeys, optionOf, singleKeysAreOn, switchSingleKeys } from "../../shared/single_keys.mjs";
import { View, mounting } from "../../shared/view.mjs";

/**
 * The choice whose options the keys choose, or the label of the box that switches them.
 * @typedef {{ choice: string | null, label: string | null, answered?: null }} KeysData
 */

/** @extends {View<KeysData>} */
class NumberKeys extends View {
  /** @param {HTMLElement} root @param {KeysData} data */
  constructor(root, data) {
    super(root, data);
    this.box = element("input");
    this.box.type = "checkbox";
    const label = element("label", "switch", this.box, element("span", "", data.label ?? ""));
    root.replaceChildren(label);
    root.hidden = data.label === null;
    this.listen(this.box, "change", () => this.#switch());
    const { signal } = this.closing;
    window.addEventListener("storage", (event) => isAboutSingleKeys(event) && this.refresh(), { signal });
    this.listen(document, "keydown", (event) => {
      const option = optionOf(event);
      if (option !== null && singleKeysAreOn() && !isTyped(event)) this.#choose(option);
    });
  }

  /** @override */
  refresh() {
    this.box.checked = singleKeysAreOn();
    document.documentElement.dataset.singleKeys = this.box.checked ? "on" : "off";
  }

  #switch() {
    switchSingleKeys(this.box.checked);
    this.refresh();
  }

  /** @param {number} option */
  #choose(option) {
    if (this.data.choice === null) return;
    const options = document.querySelectorAll(`.st-key-${CSS.escape(this.data.choice)} [role="radio"]`);
    const chosen = options[option];
    if (chosen instanceof HTMLElement) chosen.click();
  }
}

export default await mounting((root, data) => new NumberKeys(root, /** @type {KeysData} */ (data)), import.meta.url);
