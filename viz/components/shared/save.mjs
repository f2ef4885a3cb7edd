// Saves a picture as PNG or SVG.
import { painterOn } from "./canvas_painter.mjs";
import { button, element } from "./elements.mjs";
import { SvgPainter } from "./svg_painter.mjs";
/** @import { Picture } from "./types.mjs" */

const SHARP = 2; // saved pictures have pixels in a saved PNG for one of the page
const LARGEST_SIDE = 16_000; // pixels; browsers reject larger canvases
const KEPT = 10_000; // milliseconds until a saved file's URL is revoked

/** Two buttons that save a picture. @param {() => Picture | null} picture called at a click */
export function saveButtons(picture) {
  return [
    button("PNG", () => savePng(picture()), { title: "Save the picture as PNG" }),
    button("SVG", () => saveSvg(picture()), { title: "Save the picture as SVG" }),
  ];
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
