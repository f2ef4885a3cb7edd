// @ts-check
// The list of queries above the picture: one is chosen, by click or by key.
import { element } from "../shared/elements.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { scrolledTo } from "./moves.mjs";
import { pointedAt } from "./points.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Head } from "./maths.mjs" */

export class QueryList {
  #key = "";
  #chosen = NOTHING;

  /** @param {(position: number) => void} choose */
  constructor(choose) {
    this.root = element("div", "queries");
    this.root.setAttribute("role", "listbox");
    this.root.setAttribute("aria-label", "Query");
    this.root.setAttribute("aria-orientation", "horizontal");
    this.root.addEventListener("click", ({ target }) => {
      const chip = target instanceof HTMLElement ? target.closest(".query") : null;
      if (chip instanceof HTMLElement) choose(Number(chip.dataset.position));
    });
  }

  /**
   * Show the tokens at some positions, with one of them chosen.
   * @param {Pick<Head, "labels" | "special">} head
   * @param {readonly number[]} positions
   * @param {number} chosen
   * @param {readonly Point[]} [points] what a stop of a tour points at
   */
  show({ labels, special }, positions, chosen, points = []) {
    const pointed = pointedAt(points, chosen).queries;
    const key = JSON.stringify([labels, positions, [...pointed]]);
    if (key === this.#key && chosen === this.#chosen) return;
    const hasFocus = this.#hasFocus();
    if (key !== this.#key) {
      this.root.replaceChildren(
        ...positions.map((position) => {
          const chip = queryChip(labels[position], special[position], position);
          chip.classList.toggle("pointed", pointed.has(position));
          return chip;
        }),
      );
      this.#key = key;
    }
    this.#mark(chosen, hasFocus);
  }

  #hasFocus() {
    const page = this.root.getRootNode();
    const isPage = page instanceof Document || page instanceof ShadowRoot;
    return isPage && this.root.contains(page.activeElement);
  }

  /** @param {number} chosen @param {boolean} hasFocus */
  #mark(chosen, hasFocus) {
    this.#chosen = chosen;
    const { root } = this;
    for (const chip of root.children) {
      if (!(chip instanceof HTMLElement)) continue;
      const isChosen = Number(chip.dataset.position) === chosen;
      chip.setAttribute("aria-selected", String(isChosen));
      chip.tabIndex = isChosen ? 0 : -1;
      if (!isChosen) continue;
      if (hasFocus) chip.focus({ preventScroll: true });
      root.scrollTop = scrolledTo(root.scrollTop, root.clientHeight, chip.offsetTop - 3, chip.offsetHeight + 6);
    }
  }
}

/** @param {string} label @param {boolean} isSpecial @param {number} position */
function queryChip(label, isSpecial, position) {
  const chip = element("div", isSpecial ? "query special" : "query", label);
  chip.dataset.position = String(position);
  chip.title = `${label}, position ${position}`;
  chip.setAttribute("role", "option");
  return chip;
}
