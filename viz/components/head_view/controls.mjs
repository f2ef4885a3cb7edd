// @ts-check
// The bar above a head view: a chip for every head, and which lines are drawn.
import { button, element, setPressed } from "../shared/elements.mjs";
import { isWeights, tellsHeads } from "../shared/quantity.mjs";
import { MEAN } from "../shared/selection.mjs";
import { RULES, headsChange, ruleName, shownHeads, toggled } from "./lines.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Selection, SelectionChanges } from "../shared/types.mjs" */

export class Controls {
  /** @type {HTMLButtonElement[]} */
  #chips = [];
  /** @type {number[]} */
  #shown = [];

  /**
   * @param {object} options
   * @param {(changes: SelectionChanges) => void} options.select called when heads are chosen
   * @param {(rule: string) => void} options.chooseRule called when lines are chosen
   * @param {readonly HTMLElement[]} options.saveButtons
   */
  constructor({ select, chooseRule, saveButtons }) {
    this.select = select;
    this.root = element("div", "bar");
    this.heads = element("div", "chips");
    this.heads.setAttribute("role", "group");
    this.heads.setAttribute("aria-label", "Heads");
    this.mean = button("mean", () => select({ head: MEAN, heads: "" }), { title: "The mean over all heads" });
    this.all = button("all", () => select({ heads: "all" }), { title: "Show every head" });
    this.none = button("none", () => select({ heads: "none" }), { title: "Show no head" });
    this.rules = element("select", "tool");
    this.rules.setAttribute("aria-label", "Lines that are drawn");
    for (const rule of RULES) {
      const option = element("option");
      option.value = rule;
      this.rules.append(option);
    }
    this.rules.addEventListener("change", () => chooseRule(this.rules.value));
    this.count = element("span", "count");
    const end = element("div", "end");
    end.append(this.rules, this.count, ...saveButtons);
    this.root.append(this.heads, end);
  }

  /**
   * Show what is chosen.
   * @param {object} options
   * @param {Selection} options.selection
   * @param {number} options.count of the layer's heads
   * @param {readonly string[]} options.colours of heads
   * @param {string} options.rule
   * @param {string} options.lines "83 of 169 lines"
   * @param {Quantity} options.quantity
   */
  update({ selection, count, colours, rule, lines, quantity }) {
    if (this.#chips.length !== count) this.#build(count);
    this.#shown = tellsHeads(quantity) ? shownHeads(selection, count) : [];
    this.#chips.forEach((chip, head) => {
      setPressed(chip, this.#shown.includes(head));
      chip.style.setProperty("--head", colours[head % colours.length]);
      chip.title = `L${selection.layer} H${head}. Click: show or hide. Double-click or Alt-click: this head alone.`;
    });
    setPressed(this.mean, this.#shown.includes(MEAN));
    this.mean.textContent = isWeights(quantity) ? "mean" : "together";
    this.mean.title = isWeights(quantity) ? "The mean over all heads" : "What all heads move together";
    this.#offerHeads(quantity);
    for (const option of this.rules.options) {
      const name = ruleName(option.value, quantity);
      if (option.text !== name) option.text = name; // an open list closes where an option is written anew
    }
    this.rules.value = rule;
    this.count.textContent = lines;
  }

  /**
   * Heads cannot be chosen where they are not told apart, and the buttons say so.
   * @param {Quantity} quantity
   */
  #offerHeads(quantity) {
    const isOffered = tellsHeads(quantity);
    this.heads.title = isOffered ? "" : `${quantity.name} does not tell heads apart.`;
    for (const each of [...this.#chips, this.mean, this.all, this.none]) each.disabled = !isOffered;
  }

  /** @param {number} count of heads */
  #build(count) {
    this.#chips = Array.from({ length: count }, (_, head) => {
      const chip = button("", (event) => this.#clicked(event, head, count), { className: "tool chip" });
      chip.setAttribute("aria-label", `Head ${head}`);
      chip.append(element("span", "swatch"), element("span", "", String(head)));
      return chip;
    });
    this.heads.replaceChildren(...this.#chips, this.mean, this.all, this.none);
  }

  /** @param {MouseEvent} event @param {number} head @param {number} count */
  #clicked(event, head, count) {
    const isAlone = event.altKey || event.detail > 1; // the first click of a double one has toggled the head already
    this.select(isAlone ? headsChange([head], count) : toggled(this.#shown, head, count));
  }
}
