// @ts-check
// The legend of the words on heads' pictures, which shows the heads of one word alone.
import { button, element, setPressed } from "../shared/elements.mjs";
import { BAR, legendOf, nameOf } from "./labels.mjs";
/** @import { DataTheme } from "../shared/types.mjs" */
/** @import { HeadLabel, HeadLabels, MapLabels, ShownLabels } from "./labels.mjs" */

/** A button for every word, and one that takes all words away. */
export class LabelChoice {
  #isShown = true;
  #only = "";
  /** @type {HeadLabels | null} */
  #labels = null;
  #kinds = { syntactic: "", positional: "", habit: "" };
  #state = "";

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.root = element("div", "labels");
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "What heads do over a corpus");
    this.root.hidden = true;
  }

  /**
   * What is to be shown; null where nothing is.
   * @returns {ShownLabels | null}
   */
  get shown() {
    return this.#labels && this.#isShown ? { of: this.#labels, only: this.#only, kinds: this.#kinds } : null;
  }

  /**
   * @param {{ labels?: MapLabels | null, theme: DataTheme }} data
   * @param {boolean} drawsWeights of which the labels tell
   */
  update({ labels, theme }, drawsWeights) {
    this.#labels = drawsWeights && labels ? labels.of : null;
    this.#kinds = { syntactic: theme.heads[0], positional: theme.heads[1], habit: theme.muted };
    this.root.hidden = !this.#labels;
    const state = JSON.stringify([labels, this.#kinds, this.#only, this.#isShown]);
    if (!labels || !this.#labels || state === this.#state) return;
    this.#state = state;
    const focused = [...this.root.children].indexOf(/** @type {Element} */ (this.#active));
    const words = button("Labels", () => this.#change(!this.#isShown, ""));
    setPressed(words, this.#isShown);
    const each = legendOf(this.#labels).map((entry) => this.#entry(entry));
    this.root.replaceChildren(element("span", "name", labels.source), words, ...each);
    if (focused > 0) /** @type {HTMLElement | undefined} */ (this.root.children[focused])?.focus();
  }

  /** @param {HeadLabel & { count: number }} entry */
  #entry(entry) {
    const name = nameOf(entry);
    const made = button(`${entry.word} ${entry.count}`, () => this.#change(true, this.#only === name ? "" : name));
    made.title = `${entry.title} (${entry.kind}): these heads alone`;
    made.style.boxShadow = `inset ${BAR}px 0 ${this.#kinds[entry.kind]}`;
    setPressed(made, this.#only === name);
    return made;
  }

  get #active() {
    return /** @type {Document | ShadowRoot} */ (this.root.getRootNode()).activeElement;
  }

  /** @param {boolean} isShown @param {string} only */
  #change(isShown, only) {
    this.#isShown = isShown;
    this.#only = only;
    this.changed();
  }
}
