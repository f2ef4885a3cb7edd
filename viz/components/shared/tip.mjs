// The tooltip and its position.
import { element } from "./elements.mjs";
import { boxOf, zoomOf } from "./zoom.mjs";

/**
 * @typedef {{ left: number, right: number, top: number, bottom: number }} Anchor
 * @typedef {{ width: number, height: number }} Size
 */

/**
 * The position of a tooltip: below its anchor or to the right, on the other side if there is no room, always inside the
 * window. CSS pixels.
 * @param {Anchor} anchor @param {Size} tip @param {Size} viewport
 * @param {{ side?: "below" | "right", gap?: number }} [options]
 */
export function placeTip(anchor, tip, viewport, { side = "below", gap = 4 } = {}) {
  if (side === "right") {
    const right = anchor.right + gap;
    const left = right + tip.width <= viewport.width ? right : Math.max(anchor.left - gap - tip.width, 0);
    return { left, top: Math.max(Math.min(anchor.bottom + gap, viewport.height - tip.height - 4), 0) };
  }
  const below = anchor.bottom + gap;
  const top = below + tip.height <= viewport.height ? below : Math.max(0, anchor.top - gap - tip.height);
  return { left: Math.max(gap, Math.min(anchor.left, viewport.width - tip.width - gap)), top };
}

const POINTER_GAP = 14; // pixels between the pointer and the text

/** An anchor of zero size. @param {number} x @param {number} y @returns {Anchor} */
export function pointAnchor(x, y) {
  return { left: x, right: x, top: y, bottom: y };
}

/** One tooltip, hidden when its view closes. Positions are in its own pixels, as `boxOf` and `pointIn` return them. */
export class Tip {
  /** @param {AbortSignal} closing */
  constructor(closing) {
    this.root = element("div", "tip popup");
    this.root.setAttribute("role", "tooltip");
    this.root.setAttribute("popover", "manual"); // the top layer: no container of the page can clip it
    closing.addEventListener("abort", () => this.hide());
  }

  get isOpen() {
    return this.root.matches(":popover-open");
  }

  /** Show content below an anchor. @param {readonly (Node | string)[]} content @param {Anchor} anchor */
  showBelow(content, anchor) {
    this.#open(content);
    this.moveBelow(anchor);
  }

  /**
   * Show content next to a point of the window.
   * @param {readonly (Node | string)[]} content @param {number} x @param {number} y
   */
  showNextTo(content, x, y) {
    this.#open(content);
    this.#place(pointAnchor(x, y), { side: "right", gap: POINTER_GAP });
  }

  /** @param {Anchor} anchor */
  moveBelow(anchor) {
    this.#place(anchor, { side: "below" });
  }

  hide() {
    if (this.isOpen) this.root.hidePopover();
  }

  /** @param {readonly (Node | string)[]} content */
  #open(content) {
    this.root.replaceChildren(...content);
    if (!this.isOpen) this.root.showPopover();
  }

  /** @param {Anchor} anchor @param {{ side: "below" | "right", gap?: number }} options */
  #place(anchor, options) {
    const zoom = zoomOf(this.root);
    const viewport = { width: window.innerWidth / zoom, height: window.innerHeight / zoom };
    const { left, top } = placeTip(anchor, boxOf(this.root), viewport, options);
    Object.assign(this.root.style, { left: `${left}px`, top: `${top}px` });
  }
}
