// @ts-check
// The legend of the colours, at the upper right: a bar with the weights that its colours stand for.
import { HEADER, RIGHT } from "./layout.mjs";
import { captionOf, ticksOf } from "./scale.mjs";
/** @import { Painter, TextStyle } from "../shared/types.mjs" */
/** @import { Drawing } from "./scene.mjs" */

const BAR = { width: 170, height: 8, above: 23 }; // pixels; above the labels' top
const CAPTION = 12; // pixels from the top to its middle; on the page, the choice of the scale covers it
const TICKS = 9; // pixels from the bar to their middle
const TITLE = 76; // pixels that the columns' title needs, to the left of the bar in a narrow picture

/**
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {HTMLCanvasElement} colours one pixel each
 * @param {TextStyle} style
 */
export function drawColourBar(painter, { area, header, width, colours: { border }, scale, quantity }, colours, style) {
  const length = Math.min(BAR.width, width - RIGHT - area.left - TITLE);
  const left = width - RIGHT - length;
  const top = header - BAR.above;
  const caption = captionOf(scale, quantity);
  if (header === HEADER) painter.text(left + length / 2, CAPTION, caption, { ...style, align: "center" });
  painter.image(colours, left, top, length, BAR.height);
  painter.rect(left, top, length, BAR.height, { stroke: border });
  for (const { share, text } of ticksOf(scale)) {
    // The last one ends where the bar does: a long number would be cut off beyond it.
    const align = share === 1 && text.length > 1 ? "end" : "center";
    painter.text(left + share * length, top + BAR.height + TICKS, text, { ...style, align });
  }
}
