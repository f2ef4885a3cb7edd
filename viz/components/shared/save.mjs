// Saves a picture as PNG or SVG, from a menu in its corner.
import { painterOn } from "./canvas_painter.mjs";
import { button, element } from "./elements.mjs";
import { SvgPainter } from "./svg_painter.mjs";
import { boxOf, zoomOf } from "./zoom.mjs";
/** @import { Picture } from "./types.mjs" */

const SHARP = 2; // saved pictures have pixels in a saved PNG for one of the page
const LARGEST_SIDE = 16_000; // pixels; browsers reject larger canvases
const KEPT = 10_000; // milliseconds until a saved file's URL is revoked

/** The button "⋯", which opens what saves a picture and what else is rarely needed. */
export class PictureMenu {
  /** @param {() => Picture | null} picture called at a click @param {AbortSignal} closing */
  constructor(picture, closing) {
    /** @type {(save: (picture: Picture | null) => void) => () => void} */
    const saving = (save) => () => {
      this.box.hidePopover();
      save(picture());
    };
    this.opener = button("⋯", () => {}, { className: "tool opener" });
    this.box = element(
      "div",
      "menu popup",
      button("PNG", saving(savePng), { title: "Save the picture as PNG" }),
      button("SVG", saving(saveSvg), { title: "Save the picture as SVG" }),
    );
    this.box.popover = "auto"; // the top layer; Escape and a click elsewhere close it
    this.opener.popoverTargetElement = this.box;
    this.box.addEventListener("beforetoggle", () => this.#place());
    window.addEventListener("scroll", () => this.box.hidePopover(), { capture: true, passive: true, signal: closing });
    this.root = element("span", "picture-menu quiet", this.opener, this.box);
    this.#name("Save");
  }

  /** @param {HTMLElement} control to add @param {string} name of the button that opens it */
  add(control, name) {
    this.box.append(control);
    this.#name(name);
  }

  /** @param {string} name */
  #name(name) {
    this.opener.title = name;
    this.opener.setAttribute("aria-label", name);
  }

  /** Below the button, with the same right edge. */
  #place() {
    const { bottom, right } = boxOf(this.opener);
    const width = window.innerWidth / zoomOf(this.opener);
    Object.assign(this.box.style, { top: `${bottom + 4}px`, right: `${Math.max(width - right, 0)}px` });
  }
}

/** @param {Picture | null} picture */
function savePng(picture) {
  if (!picture) return;
  const { name, width, height, colours, draw } = picture;
  const ratio = Math.min(SHARP, LARGEST_SIDE / Math.max(width, height));
  const canvas = element("canvas");
  const painter = painterOn(canvas, { width, height }, colours.font, ratio);
  painter.rect(0, 0, width, height, { fill: colours.background });
  draw(painter);
  canvas.toBlob((file) => file && download(`${name}.png`, file), "image/png");
}

/** @param {Picture | null} picture */
function saveSvg(picture) {
  if (picture) download(`${picture.name}.svg`, new Blob([svgOf(picture)], { type: "image/svg+xml" }));
}

/** A picture as the text of an SVG file. @param {Picture} picture */
export function svgOf({ width, height, colours, draw }) {
  const painter = new SvgPainter(width, height, colours.background, colours.font);
  draw(painter);
  return painter.toString();
}

/** Let the browser save a file. @param {string} name @param {Blob} file */
export function download(name, file) {
  const link = element("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}
