// @ts-check
// The elements of the neuron view on the page.
import { button, element, setPressed } from "../shared/elements.mjs";
import { headName } from "../shared/selection.mjs";
/** @import { Controls } from "./scene.mjs" */

/** @type {readonly [control: keyof Controls, text: string, title: string][]} */
const TOGGLES = [
  ["byWeight", "Keys by weight", "The keys with the largest weight first"],
  ["bySize", "Dimensions by |q × k|", "The pinned key's largest products first, or the strongest key's"],
];

export const NO_TOKEN = "No token is left to show.";
export const NO_HEAD = "A mean over heads has no queries and keys of its own: choose one head.";

/** The bar: the head's name, what is sorted, and buttons that save the picture. */
export class Bar {
  /** @param {(control: keyof Controls) => void} toggle @param {readonly HTMLElement[]} saveButtons */
  constructor(toggle, saveButtons) {
    this.root = element("div", "bar");
    this.title = element("span", "title");
    this.toggles = TOGGLES.map(([control, text, title]) => ({
      control,
      root: button(text, () => toggle(control), { title }),
    }));
    const end = element("span", "end");
    end.append(...saveButtons);
    this.root.append(this.title, ...this.toggles.map(({ root }) => root), end);
  }

  /** @param {{ layer: number, head: number }} head @param {Controls} controls */
  update({ layer, head }, controls) {
    this.title.textContent = headName(layer, head);
    for (const { control, root } of this.toggles) setPressed(root, controls[control]);
  }
}

/** The formula, and its steps with numbers. */
export class Formula {
  constructor() {
    this.root = element("div", "formula");
    this.rule = element("p", "rule");
    this.numbers = element("p", "numbers");
    this.root.append(this.rule, this.numbers);
  }

  /** @param {{ rule: string, rest: string, numbers: string[], from: string, to: string }} formula */
  show({ rule, rest, numbers, from, to }) {
    this.rule.textContent = rest ? `${rule}.  ${rest}` : rule;
    const steps = numbers.map((step, index) => element("span", "step", index ? `,  ${step}` : step));
    this.numbers.replaceChildren(element("span", "token", from), " → ", element("span", "token", to), ":  ", ...steps);
  }

  /** @param {string} reason */
  showEmpty(reason) {
    this.rule.textContent = reason;
    this.numbers.replaceChildren();
  }
}

/** The canvases: a heading, and rows that scroll. */
export function frameParts() {
  const heading = element("canvas", "heading");
  const rows = element("canvas", "rows");
  const scroller = element("div", "scroller");
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  const sheet = element("div", "sheet"); // as high as all rows
  sheet.append(rows);
  scroller.append(sheet);
  const frame = element("div", "frame");
  frame.append(heading, scroller);
  return { frame, heading, rows, scroller, sheet };
}
