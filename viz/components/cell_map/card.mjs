// The card of the pinned cell, next to it: its number in words, the heads that link its two units most, and buttons
// that open the views that explain the number.
import { isUndo } from "../shared/cut_history.mjs";
import { button, describe, element, setPressed } from "../shared/elements.mjs";
import { clamped } from "../shared/ranges.mjs";
import { headName } from "../shared/selection.mjs";
import { boxOf, zoomOf } from "../shared/zoom.mjs";
/** @import { Head } from "../shared/types.mjs" */
/** @import { Anchor, Size } from "../shared/tip.mjs" */
/** @import { Ranked } from "./ranking.mjs" */

const GAP = 8; // pixels between the cell and the card, and at the window's edges

/**
 * A cell and the labels of its row and column, in the window.
 * @typedef {{ cell: Anchor, labels: readonly Anchor[] }} Surroundings
 */

/**
 * The card's position: to the right of the cell, below it, to the left or above; the first that covers least of the cell
 * and its labels. It is always inside the window. CSS pixels.
 * @param {Size} card @param {Surroundings} around @param {Size} viewport
 */
export function placeCard(card, { cell, labels }, viewport) {
  const [below, above] = [cell.bottom + GAP, cell.top - GAP - card.height];
  const places = [
    { left: cell.right + GAP, top: cell.top },
    { left: cell.left, top: below },
    { left: cell.left - GAP - card.width, top: below },
    { left: cell.right + GAP, top: above },
  ].map(({ left, top }) => ({
    left: clamped(left, GAP, viewport.width - card.width - GAP),
    top: clamped(top, GAP, viewport.height - card.height - GAP),
  }));
  const covered = places.map((place) => sum([cell, ...labels].map((box) => overlap(place, card, box))));
  return places[covered.indexOf(Math.min(...covered))];
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The area of a box that a card covers. @param {{ left: number, top: number }} place @param {Size} card @param {Anchor} box */
function overlap({ left, top }, { width, height }, box) {
  const across = Math.min(left + width, box.right) - Math.max(left, box.left);
  const down = Math.min(top + height, box.bottom) - Math.max(top, box.top);
  return Math.max(across, 0) * Math.max(down, 0);
}

/**
 * A ranked head, how unusual its weight is for it ("99 %", or ""), and the same in full.
 * @typedef {Ranked & { unusual: string, title: string }} LinkingHead
 */

/**
 * What the card says.
 * @typedef {object} CardContent
 * @property {readonly [before: string, number: string, after: string]} sentence
 * @property {string} [about] what the list of heads shows
 * @property {readonly LinkingHead[]} [heads]
 * @property {Head} chosen
 * @property {readonly string[]} [opens] the keys of the buttons' views
 * @property {readonly { label: string, cut: string }[]} offers where the link can be cut, and all cut links then
 * @property {LinkWeight | null} [weight] of the link, if it can be weakened
 * @typedef {{ percent: number, cutAt: (percent: number) => string }} LinkWeight what is left of it, and all cut links if
 *   another share is
 */

const STEP = 5; // percent

/** @type {Readonly<Record<string, string>>} */
const OPENERS = { "why here": "Why this number?", anatomy: "How is it computed?" };

export class CellCard {
  /** @type {CardContent["offers"]} */
  offers = [];
  /** @type {LinkWeight | null} */
  #weight = null;

  /**
   * @param {object} actions
   * @param {(head: Head) => void} [actions.chooseHead]
   * @param {(view: string) => void} [actions.openView]
   * @param {(cut: string, isDragged: boolean) => void} actions.cutLinks
   * @param {() => void} actions.close called by Escape
   */
  constructor({ chooseHead = () => {}, openView = () => {}, cutLinks, close }) {
    this.root = element("div", "cell-card popup");
    describe(this.root, "dialog", "The selected cell");
    this.root.setAttribute("popover", "manual"); // the top layer: no container of the page can clip it
    this.sentence = element("p", "weight");
    this.about = element("p", "about");
    this.heads = element("ol");
    this.cuts = element("div", "buttons");
    describe(this.cuts, "group", "Cut this link");
    this.buttons = element("div", "buttons");
    this.slider = Object.assign(element("input"), { type: "range", min: "0", max: "100", step: String(STEP) });
    this.left = element("output");
    this.dragged = element("label", "weight-left", element("span", "", "Its weight here:"), this.slider, this.left);
    this.slider.addEventListener("input", () => this.#drag(true));
    this.slider.addEventListener("change", () => this.#drag(false));
    this.root.append(this.sentence, this.about, this.heads, this.cuts, this.dragged, this.buttons);
    this.root.addEventListener("keydown", (event) => {
      if (!isUndo(event)) event.stopPropagation(); // the page has keys of its own
      if (event.key === "Escape") close();
    });
    this.chooseHead = chooseHead;
    this.openView = openView;
    this.cutLinks = cutLinks;
  }

  get isOpen() {
    return this.root.matches(":popover-open");
  }

  /** @param {CardContent} content */
  fill({
    sentence: [before, number, after],
    about = "",
    heads = [],
    chosen,
    opens = [],
    offers,
    weight: ofLink = null,
  }) {
    this.sentence.replaceChildren(before, element("b", "", number), after);
    this.about.textContent = about;
    this.about.hidden = !about;
    const shown = [...this.heads.children].map((item) => /** @type {HTMLElement} */ (item).dataset.head);
    const names = heads.map(({ layer, head }) => headName(layer, head));
    if (shown.join() !== names.join()) this.heads.replaceChildren(...heads.map((head) => this.#item(head)));
    heads.forEach(({ layer, head, weight, unusual, title }, index) => {
      const choice = /** @type {HTMLElement} */ (this.heads.children[index].firstElementChild);
      choice.title = title;
      choice.replaceChildren(
        element("span", "", headName(layer, head)),
        element("span", "", weight.toFixed(2)),
        element("span", "", unusual),
      );
      setPressed(choice, layer === chosen.layer && head === chosen.head);
    });
    const keys = [...this.buttons.children].map((each) => /** @type {HTMLElement} */ (each).dataset.view);
    if (keys.join() !== opens.join()) this.buttons.replaceChildren(...opens.map((view) => this.#opener(view)));
    this.buttons.hidden = !opens.length;
    const labels = [...this.cuts.querySelectorAll("button")].map((each) => each.textContent);
    if (labels.join() !== offers.map(({ label }) => label).join()) {
      this.cuts.replaceChildren(
        element("span", "", "Cut this link:"),
        ...offers.map(({ label }) => button(label, () => this.#cut(label))),
      );
    }
    this.cuts.hidden = !offers.length;
    this.offers = offers;
    this.#weight = ofLink;
    this.dragged.hidden = !ofLink;
    if (ofLink) this.#showWeight(ofLink.percent);
  }

  /** @param {number} percent */
  #showWeight(percent) {
    this.slider.value = String(percent);
    this.left.textContent = `${percent} %`;
    this.slider.setAttribute("aria-valuetext", `${percent} % of its weight`);
  }

  /** @param {boolean} isDragged whether the pointer may go on */
  #drag(isDragged) {
    if (!this.#weight) return;
    this.#showWeight(Number(this.slider.value));
    this.cutLinks(this.#weight.cutAt(Number(this.slider.value)), isDragged);
  }

  /** An item that keeps the focus while its weight changes. @param {Head} head */
  #item({ layer, head }) {
    const item = element(
      "li",
      "",
      button("", () => this.chooseHead({ layer, head })),
    );
    item.dataset.head = headName(layer, head);
    return item;
  }

  /** @param {string} label */
  #cut(label) {
    const offer = this.offers.find((each) => each.label === label);
    if (offer) this.cutLinks(offer.cut, false);
  }

  /** @param {string} view */
  #opener(view) {
    const opener = button(OPENERS[view], () => this.openView(view));
    opener.dataset.view = view;
    return opener;
  }

  /** @param {Surroundings} around in the card's own pixels */
  showAt(around) {
    if (!this.root.isConnected) return; // a popover of a view that is closed cannot open
    if (!this.isOpen) this.root.showPopover();
    const zoom = zoomOf(this.root);
    const viewport = { width: window.innerWidth / zoom, height: window.innerHeight / zoom };
    const { left, top } = placeCard(boxOf(this.root), around, viewport);
    Object.assign(this.root.style, { left: `${left}px`, top: `${top}px` });
  }

  hide() {
    if (this.isOpen) this.root.hidePopover();
  }
}
