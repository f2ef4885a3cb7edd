// @ts-check
// Overlays: the dark screen, the pointer and the list of keys.
import { button, element } from "../shared/elements.mjs";
import { pointIn } from "../shared/zoom.mjs";
import { HELP } from "./keys.mjs";

/** A popover above the page. */
class Overlay {
  /** @param {string} className */
  constructor(className) {
    this.root = element("div", className);
    this.root.setAttribute("popover", "manual");
  }

  get isOpen() {
    return this.root.matches(":popover-open");
  }

  toggle(open = !this.isOpen) {
    if (open !== this.isOpen) this.root.togglePopover(open);
  }
}

export class DarkScreen extends Overlay {
  constructor() {
    super("dark");
    this.root.setAttribute("role", "status");
    this.root.append(element("span", "spoken", "The screen is dark. Any key brings the picture back."));
  }
}

/** A large dot where the mouse is. */
export class Pointer extends Overlay {
  constructor() {
    super("pointer");
    this.root.setAttribute("aria-hidden", "true");
  }

  /** @param {{ clientX: number, clientY: number }} event */
  follow(event) {
    const { x, y } = pointIn(this.root, event);
    this.root.style.translate = `calc(${x}px - 50%) calc(${y}px - 50%)`;
  }
}

/** The list of keys, which has the focus while it is open. */
export class KeyList {
  constructor() {
    this.root = element("dialog", "key-list");
    this.root.setAttribute("aria-label", "Keys while presenting");
    const list = element(
      "dl",
      "",
      ...HELP.flatMap(([keys, deed]) => [element("dt", "", keys), element("dd", "", deed)]),
    );
    this.root.append(
      element("h2", "", "Keys while presenting"),
      list,
      button("Close", () => this.root.close()),
    );
  }

  get isOpen() {
    return this.root.open;
  }

  toggle(open = !this.isOpen) {
    if (open === this.isOpen) return;
    if (open) this.root.showModal();
    else this.root.close();
  }
}
