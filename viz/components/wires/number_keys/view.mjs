// Reports which view a number key opens, and names the keys while Alt is held. See __init__.py.
import { element } from "../../shared/elements.mjs";
import { isTyped } from "../../shared/keys.mjs";
import { isAboutSingleKeys, optionOf, singleKeysAreOn, switchSingleKeys } from "../../shared/single_keys.mjs";
import { View, mounting } from "../../shared/view.mjs";

/**
 * The titles of the views that the keys open, or the label of the box that switches the keys.
 * @typedef {{ titles: string[], label: string | null, answered?: null }} KeysData
 */

/** @extends {View<KeysData>} */
class NumberKeys extends View {
  /** @param {HTMLElement} root @param {KeysData} data */
  constructor(root, data) {
    super(root, data);
    this.box = element("input");
    this.box.type = "checkbox";
    const label = element("label", "switch", this.box, element("span", "", data.label ?? ""));
    label.hidden = data.label === null;
    this.list = element("ol", "keys");
    this.list.hidden = true;
    root.replaceChildren(label, this.list);
    this.listen(this.box, "change", () => this.#switch());
    const { signal } = this.closing;
    window.addEventListener("storage", (event) => isAboutSingleKeys(event) && this.refresh(), { signal });
    window.addEventListener("blur", () => this.#name(false), { signal });
    this.listen(document, "keyup", (event) => event.key === "Alt" && this.#name(false));
    this.listen(document, "keydown", (event) => {
      if (event.key === "Alt") this.#name(true);
      const option = optionOf(event);
      const asks = option !== null && option < this.data.titles.length && singleKeysAreOn() && !isTyped(event);
      if (asks) this.sendToPython("asked", option);
    });
  }

  /** @override */
  refresh() {
    this.box.checked = singleKeysAreOn();
    this.list.replaceChildren(...this.data.titles.map((title) => element("li", "", title)));
  }

  #switch() {
    switchSingleKeys(this.box.checked);
    this.refresh();
  }

  /** Show or hide the list of keys. @param {boolean} shown */
  #name(shown) {
    this.list.hidden = !shown || !singleKeysAreOn() || this.data.titles.length === 0;
  }
}

export default await mounting((root, data) => new NumberKeys(root, /** @type {KeysData} */ (data)), import.meta.url);
