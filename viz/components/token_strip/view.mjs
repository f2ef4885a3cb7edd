// The token strip. The payload is described in __init__.py.
import { button, element } from "../shared/elements.mjs";
import { ENDS, HORIZONTAL, movedWithin } from "../shared/keys.mjs";
import { selectionOf } from "../shared/page_selection.mjs";
import { pointsIn, tokensOf } from "../shared/points.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { Tip } from "../shared/tip.mjs";
import { View, mounting } from "../shared/view.mjs";
import { boxOf } from "../shared/zoom.mjs";
import { chipList, chipsOf, markChosen, turnInto } from "./chips.mjs";
import { facts } from "./words.mjs";
/** @import { StripData } from "./words.mjs" */

const KEY_STEPS = { ...HORIZONTAL, ...ENDS };
const FROM_RIGHT = { ...KEY_STEPS, ArrowLeft: 1, ArrowRight: -1 };

/** The texts of a run. @param {string} run */
function textsOf(run) {
  return run === "pair" ? ["A", "B"] : [run];
}

/** @extends {View<StripData>} */
class TokenStrip extends View {
  /** @type {number | null} by a click */
  opened = null;
  /** @type {number | null} */
  focused = null;
  drawn = "";
  #given;
  list = element("div");
  source = selectionOf("encoder");

  /** @param {HTMLElement} root @param {StripData} data */
  constructor(root, data) {
    super(root, data);
    this.#given = data;
    this.tip = new Tip(this.closing.signal);
    this.more = button("", () => this.#showAll());
    root.replaceChildren(this.list, this.more, this.tip.root);
    this.watchSize(root, () => this.#countHidden());
    const elsewhere = (/** @type {Event} */ event) => !event.composedPath().includes(root);
    this.listen(document, "pointerdown", (event) => elsewhere(event) && this.#open(null), { capture: true });
    this.listen(root, "focusin", (event) => this.#focus(event.target));
    this.listen(root, "focusout", () => {
      this.focused = null;
      this.#showTip();
    });
    this.listen(root, "click", (event) => this.#click(positionOf(event)));
    this.listenToKeys(root, (event) => this.#press(event.key, positionOf(event)));
    this.source.subscribe(() => this.#follow(), this.closing.signal);
    this.listen(window, "scroll", () => this.#moveTip(), { capture: true, passive: true });
  }

  /** @override @param {StripData} data */
  receive(data) {
    this.#given = data;
    this.#follow();
  }

  /** Show a direct run of a text being typed, unless the strip shows parts of speech or a chosen word. */
  #follow() {
    const { run, tags, choose } = this.#given;
    const direct = tags.length || choose ? undefined : this.source.runOf(textsOf(run));
    this.data = direct?.strip ?? this.#given;
    this.refresh();
  }

  /** @override */
  refresh() {
    const drawn = JSON.stringify({ ...this.data, chosen: undefined }); // cache key of the chips
    if (drawn !== this.drawn) {
      this.opened = this.focused = null;
      this.tip.hide();
      turnInto(this.list, chipList(this.data));
      this.drawn = drawn;
      this.#countHidden();
    }
    const { choose, tokens, chosen } = this.data;
    this.#ring();
    if (choose) markChosen(this.list, tokens, this.source.pending[choose] ?? chosen ?? null);
  }

  /** Ring a tour's tokens and both ends of its cells. */
  #ring() {
    const { run } = this.data;
    const points = pointsIn(this.source.chosen?.points ?? [], textsOf(run));
    const ringed = new Set(points.flatMap((point) => tokensOf(point)));
    chipsOf(this.list).forEach((chip, position) => chip.classList.toggle("pointed", ringed.has(position)));
  }

  /** Say how many tokens are below the rows in sight, on a button that shows them. */
  #countHidden() {
    const { list, more } = this;
    const isOpen = list.classList.contains("open");
    const end = list.clientHeight + list.offsetTop - list.scrollTop;
    const hidden = chipsOf(list).filter((chip) => chip.offsetTop >= end).length;
    more.hidden = !isOpen && hidden === 0;
    more.classList.toggle("more", !more.hidden);
    more.textContent = isOpen ? "Show fewer tokens" : `${hidden} more tokens: show all`;
  }

  #showAll() {
    this.list.classList.toggle("open");
    this.#countHidden();
  }

  // --- the tooltip ---

  #showTip() {
    const position = this.opened ?? this.focused;
    if (position === null) return this.tip.hide();
    const rows = facts(this.data.tokens[position], this.data);
    const content = rows.flatMap(([term, value]) => [element("span", "term", term), element("span", "value", value)]);
    this.tip.showBelow(content, this.#boxAt(position));
  }

  #moveTip() {
    const position = this.opened ?? this.focused;
    if (position !== null) this.tip.moveBelow(this.#boxAt(position));
  }

  /** @param {number} position */
  #boxAt(position) {
    return boxOf(chipsOf(this.list)[position]);
  }

  // --- pointer and keys ---

  /** Show the facts of a token, or none. @param {number | null} position */
  #open(position) {
    this.opened = position;
    this.#showTip();
  }

  /** Choose the word of a token, or open or close its facts where no word is chosen. @param {number | null} position */
  #click(position) {
    if (!this.#choose(position)) this.#open(position === this.opened ? null : position);
  }

  /** @param {EventTarget | null} target */
  #focus(target) {
    if (!(target instanceof HTMLElement)) return;
    this.list.querySelector('.token[tabindex="0"]')?.setAttribute("tabindex", "-1");
    target.tabIndex = 0;
    this.focused = target.matches(":focus-visible") ? tokenPosition(target) : null; // a mouse click shows no tooltip
    this.#showTip();
  }

  /** @param {string} key @param {number | null} position */
  #press(key, position) {
    if (key === "Enter" || key === " ") return this.#choose(position);
    if (key === "Escape") {
      this.focused = null;
      this.#open(null);
      return false; // the page may handle it too
    }
    const next =
      position === null
        ? null
        : movedWithin(key, position, [0, this.data.tokens.length], this.list.dir === "rtl" ? FROM_RIGHT : KEY_STEPS);
    if (next === null) return false;
    this.opened = null;
    chipsOf(this.list)[next].focus();
    return true;
  }

  /** Choose the word of a token. @param {number | null} position @returns {boolean} whether there is one */
  #choose(position) {
    const { choose, tokens } = this.data;
    const word = position === null ? null : tokens[position].word;
    if (!choose || word === null) return false;
    this.source.change({ at_a: NOTHING, at_b: NOTHING, [choose]: word });
    return true;
  }
}

/** The position of the token that an event is about, or null. @param {Event} event */
function positionOf({ target }) {
  return target instanceof Element ? tokenPosition(target) : null;
}

/** @param {Element} target */
function tokenPosition(target) {
  const chip = target.closest(".token");
  return chip instanceof HTMLElement ? Number(chip.dataset.position) : null;
}

export default await mounting((root, data) => new TokenStrip(root, /** @type {StripData} */ (data)), import.meta.url);
