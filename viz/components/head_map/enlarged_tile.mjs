// @ts-check
// One head's picture, enlarged for the tooltip.
import { painterOn } from "../shared/canvas_painter.mjs";
import { element } from "../shared/elements.mjs";
import { tileImage } from "./tiles.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { ColourScale, Head, Tensor } from "../shared/types.mjs" */

const SIDE = 168; // pixels

/**
 * @param {Tensor<Uint8Array>} thumbnails
 * @param {Head} head
 * @param {ColourScale} scale
 * @param {Quantity} quantity
 * @param {number} density pixels of the screen for one of the page
 */
export function enlargedTile(thumbnails, head, scale, quantity, density) {
  const canvas = element("canvas");
  const image = tileImage(thumbnails, head, Math.round(SIDE * density), scale, quantity);
  painterOn(canvas, { width: SIDE, height: SIDE }, "", density).image(image, 0, 0, SIDE, SIDE);
  return canvas;
}
