// @ts-check
// One text field, with the marks of its text.
import { element } from "../shared/elements.mjs";
/** @import { Part } from "./marked.mjs" */

/** A labelled field, with a layer over it that shows marks and lets everything else through. */
export class Field {
  /** @param {string} name @param {string} label */
  constructor(name, label) {
    this.name = name;
    this.root = element("label", "field");
    this.input = element("textarea");
    this.input.dir = "auto";
    this.input.spellcheck = false; // its red lines would look like marks
    this.marks = element("div", "marks");
    this.marks.dir = "auto";
    this.marks.setAttribute("aria-hidden", "true");
    const box = element("div", "box");
    box.append(this.input, this.marks);
    this.root.append(element("span", "name", label), box);
    this.input.addEventListener("scroll", () => this.#follow(), { passive: true });
  }

  /** @param {string} text */
  show(text) {
    if (this.input.value !== text) this.input.value = text; // else the caret stays, and what can be undone
  }

  /** @param {readonly Part[]} parts */
  mark(parts) {
    this.marks.replaceChildren(...parts.map(({ text, kind }) => element("span", kind, text)));
    this.#follow();
  }

  #follow() {
    this.marks.scrollTop = this.input.scrollTop;
  }
}
