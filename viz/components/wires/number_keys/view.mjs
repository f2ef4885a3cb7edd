// Reports which view a number key opens, lists the keys while Alt is held and at “?”, and takes the first Tab to the list
// of views. See __init__.py.
import { element } from "../../shared/elements.mjs";
import { isTyped } from "../../shared/keys.mjs";
import {
  isAboutSingleKeys,
  isQuestionMark,
  optionOf,
  singleKeysAreOn,
  switchSingleKeys,
} from "../../shared/single_keys.mjs";
import { View, mounting } from "../../shared/view.mjs";

/**
 * The titles of the views that the keys open, or the label of the box that switches the keys.
 * @typedef {{ titles: string[], label: string | null, answered?: null }} KeysData
 */

// The list of views is first on the page, but a fragment draws it after the texts: the first Tab goes to the list, and the
// next one from there to what is drawn first.
const TAB_TARGETS = [".st-key-view button", ".st-key-opening :is(button, input, textarea):not([disabled])"];
let movedTabs = 0;

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
    window.addEventListener("blur", () => this.#showList(false), { signal });
    this.listen(document, "keyup", (event) => event.key === "Alt" && this.#showList(false));
    this.listen(document, "keydown", (event) => this.#press(event));
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

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.key === "Alt") this.#showList(true);
    if (event.key === "Tab" && this.data.titles.length > 0) moveTab(event);
    if (event.key === "Escape") this.#showList(false);
    if (!singleKeysAreOn() || isTyped(event)) return;
    const option = optionOf(event);
    if (option !== null && option < this.data.titles.length) {
      this.#showList(false);
      this.sendToPython("asked", option);
    } else if (isQuestionMark(event)) this.#showList(Boolean(this.list.hidden));
  }

  /** Show or hide the list of keys; the stage has a list of its own. @param {boolean} shown */
  #showList(shown) {
    const isOnPage = this.root.checkVisibility() && this.data.titles.length > 0;
    this.list.hidden = !(shown && isOnPage && singleKeysAreOn());
  }
}

/** @param {KeyboardEvent} event */
function moveTab(event) {
  const from = movedTabs ? document.querySelector(TAB_TARGETS[0] ?? "") : document.body;
  const to = document.querySelector(TAB_TARGETS[movedTabs] ?? ":not(*)");
  if (event.shiftKey || document.activeElement !== from || !(to instanceof HTMLElement)) {
    movedTabs = TAB_TARGETS.length;
    return;
  }
  movedTabs += 1;
  event.preventDefault();
  to.focus();
}

export default await mounting((root, data) => new NumberKeys(root, /** @type {KeysData} */ (data)), import.meta.url);
