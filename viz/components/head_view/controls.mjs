// The bar above a head view: a chip for every head, and which lines are drawn.
import { button, element } from "../shared/elements.mjs";
import { MEAN, RULES, headsChange, shownHeads, toggled } from "./lines.mjs";

/** Says `change(changes)` when heads are chosen and `rule(value)` when lines are; `tools` are more buttons. */
export class Controls {
  #chips = [];
  #shown = [];

  constructor({ change, rule, tools }) {
    this.change = change;
    this.root = element("div", "bar");
    this.heads = element("div", "chips");
    this.heads.setAttribute("role", "group");
    this.heads.setAttribute("aria-label", "Heads");
    this.mean = button("mean", () => change({ head: MEAN, heads: "" }), { title: "The mean over all heads" });
    this.all = button("all", () => change({ heads: "all" }), { title: "Show every head" });
    this.none = button("none", () => change({ heads: "none" }), { title: "Show no head" });
    this.rules = element("select", "tool");
    this.rules.setAttribute("aria-label", "Lines that are drawn");
    for (const [value, name] of RULES) {
      const option = element("option", "", name);
      option.value = value;
      this.rules.append(option);
    }
    this.rules.addEventListener("change", () => rule(this.rules.value));
    this.count = element("span", "count");
    const lines = element("div", "end");
    lines.append(this.rules, this.count, ...tools);
    this.root.append(this.heads, lines);
  }

  /** Show what is chosen: `selection` of the page, `count` heads and their colours, the rule, and "83 of 169 lines". */
  update({ selection, count, colours, rule, lines }) {
    if (this.#chips.length !== count) this.#build(count);
    this.#shown = shownHeads(selection, count);
    this.#chips.forEach((chip, head) => {
      const pressed = this.#shown.includes(head);
      chip.setAttribute("aria-pressed", String(pressed));
      chip.style.setProperty("--head", colours[head % colours.length]);
      chip.title = `L${selection.layer} H${head}. Click: show or hide. Double-click or Alt-click: this head alone.`;
    });
    this.mean.setAttribute("aria-pressed", String(this.#shown.includes(MEAN)));
    this.rules.value = rule;
    this.count.textContent = lines;
  }

  #build(count) {
    this.#chips = Array.from({ length: count }, (_, head) => {
      const chip = button("", (event) => this.#clicked(event, head, count), { className: "tool chip" });
      chip.setAttribute("aria-label", `Head ${head}`);
      chip.append(element("span", "swatch"), element("span", "", String(head)));
      return chip;
    });
    this.heads.replaceChildren(...this.#chips, this.mean, this.all, this.none);
  }

  #clicked(event, head, count) {
    const alone = event.altKey || event.detail > 1; // the first click of a double one has toggled the head already
    const change = alone ? headsChange([head], count) : toggled(this.#shown, head, count);
    this.change(change);
  }
}
