// Overlays: the dark screen, the pointer and the list of keys.
import { button, element } from "../shared/elements.mjs";
import { pointIn } from "../shared/zoom.mjs";
import { HELP } from "./keys.mjs";

// The stage and slides mount the overlays, which therefore bring their styles.
const DARK = { inset: "0", width: "100%", height: "100%", padding: "0", border: "0", background: "#000" };
const POINTER = {
  ...{ inset: "0 auto auto 0", width: "22px", height: "22px", margin: "0", padding: "0", pointerEvents: "none" },
  ...{ border: "2px solid var(--st-background-color)", borderRadius: "50%" },
  background: "color-mix(in srgb, var(--st-red-color, #e5484d) 80%, transparent)",
};

/** A popover above the page. */
class Overlay {
  /** @param {string} className @param {Partial<CSSStyleDeclaration>} style */
  constructor(className, style) {
    this.root = element("div", className);
    Object.assign(this.root.style, style);
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
    super("dark", DARK);
    this.root.setAttribute("role", "status");
    this.root.append(element("span", "spoken", "The screen is dark. Any key brings the picture back."));
  }
}

/** A large dot where the mouse is. */
export class Pointer extends Overlay {
  constructor() {
    super("pointer", POINTER);
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
