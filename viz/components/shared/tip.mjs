// @ts-check
// The tooltip, and where it stands.
import { element } from "./elements.mjs";
import { boxOf, zoomOf } from "./zoom.mjs";

/**
 * @typedef {{ left: number, right: number, top: number, bottom: number }} Anchor
 * @typedef {{ width: number, height: number }} Size
 */

/**
 * Where a tooltip stands: below its anchor or to the right of it, on the other side where there is no room, and within
 * the window. All in CSS pixels.
 * @param {Anchor} anchor
 * @param {Size} tip
 * @param {Size} viewport
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

const POINTER_GAP = 14; // pixels, so that the pointer covers no text

/**
 * An anchor without a size.
 * @param {number} x
 * @param {number} y
 * @returns {Anchor}
 */
export function pointAnchor(x, y) {
  return { left: x, right: x, top: y, bottom: y };
}

/** One tooltip, which is hidden when its view closes. Places are in its own pixels, as `boxOf` and `pointIn` give them. */
export class Tip {
  /** @param {AbortSignal} closing */
  constructor(closing) {
    this.root = element("div", "tip");
    this.root.setAttribute("role", "tooltip");
    this.root.setAttribute("popover", "manual"); // the top layer: no container of the page can clip it
    closing.addEventListener("abort", () => this.hide());
  }

  get isOpen() {
    return this.root.matches(":popover-open");
  }

  /**
   * Show a content below an anchor.
   * @param {readonly (Node | string)[]} content
   * @param {Anchor} anchor
   */
  showBelow(content, anchor) {
    this.#open(content);
    this.moveBelow(anchor);
  }

  /**
   * Show a content beside the pointer, or what else is at that point of the window.
   * @param {readonly (Node | string)[]} content
   * @param {number} x
   * @param {number} y
   */
  showBeside(content, x, y) {
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
