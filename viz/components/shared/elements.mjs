// Creates DOM elements.

/**
 * An element with a class and children; texts are never parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== "")); // an empty text node would make it not :empty
  return made;
}

/**
 * @param {string} text @param {(event: MouseEvent) => void} onClick
 * @param {{ className?: string, title?: string }} [options]
 */
export function button(text, onClick, { className = "tool", title = "" } = {}) {
  const made = element("button", className, text);
  made.type = "button";
  if (title) made.title = title;
  made.addEventListener("click", onClick);
  return made;
}

/** A menu of some values. */
export class Menu {
  /** @param {string} label @param {readonly string[]} values @param {(value: string) => void} choose */
  constructor(label, values, choose) {
    this.root = element("select", "tool");
    this.root.setAttribute("aria-label", label);
    this.root.append(...values.map((value) => Object.assign(element("option"), { value })));
    this.root.addEventListener("change", () => choose(this.root.value));
  }

  /** @param {string} chosen @param {(value: string) => string} nameOf */
  show(chosen, nameOf) {
    this.root.value = chosen;
    for (const option of this.root.options) {
      const name = nameOf(option.value);
      if (option.text !== name) option.text = name; // rewriting an option closes an open list
    }
  }
}

/** Invisible text that a screen reader speaks when it changes. */
export function spokenText() {
  const made = element("div", "spoken");
  made.setAttribute("aria-live", "polite");
  return made;
}

/** Say what an element is to a screen reader. @param {HTMLElement} target @param {string} role @param {string} [label] */
export function describe(target, role, label) {
  target.setAttribute("role", role);
  if (label) target.setAttribute("aria-label", label);
}

/**
 * Make an element focusable that handles keys itself.
 * @param {HTMLElement} target @param {{ role: string, label?: string }} description
 */
export function makeFocusable(target, { role, label }) {
  target.tabIndex = 0;
  describe(target, role, label);
}

/** Set a button's pressed state. @param {HTMLElement} target @param {boolean} pressed */
export function setPressed(target, pressed) {
  target.setAttribute("aria-pressed", String(pressed));
}
