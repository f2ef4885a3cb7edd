// @ts-check
// Draws the map of all heads through a painter.
import { drawRing } from "../shared/points.mjs";
import { MEAN } from "../shared/selection.mjs";
import { columnOf } from "./tiles.mjs";
/** @import { Colours, Painter, TextStyle } from "../shared/types.mjs" */
/** @import { Head, Layout, Tile } from "./tiles.mjs" */

const SIZES = { small: 14, large: 15 }; // of the numbers
const CLOSE = 18; // pixels from one tile to the next, below which every other one is numbered

/**
 * @typedef {object} MapScene
 * @property {Layout} layout
 * @property {Tile[]} tiles
 * @property {number} layers
 * @property {number} heads
 * @property {Head} chosen
 * @property {Head | null} hovered
 * @property {Head[]} pointed heads that a stop of a tour points at
 * @property {boolean} large
 * @property {Colours} colours
 * @property {string} muted
 */

/** @param {Painter} painter @param {MapScene} scene */
export function drawMap(painter, scene) {
  const { layout, tiles, layers, heads, colours, chosen, hovered, pointed } = scene;
  const { top, step, side } = layout;
  drawNumbers(painter, scene);
  for (const { layer, head, image } of tiles) {
    const [x, y] = [columnOf(head, layout), top + step * layer];
    painter.image(image, x, y, side, side);
    painter.rect(x + 0.5, y + 0.5, side - 1, side - 1, { stroke: colours.border });
  }
  if (hovered) drawFrame(painter, layout, hovered, { stroke: colours.text, lineWidth: 1.5 });
  drawFrame(painter, layout, chosen, { stroke: colours.primary, lineWidth: 3 });
  for (const { layer, head } of pointed) {
    if (layer >= layers || head >= heads) continue;
    const [x, y] = [columnOf(head, layout), top + step * layer];
    drawRing(painter, { x, y, width: side, height: side }, colours);
  }
}

/** @param {Painter} painter @param {MapScene} scene */
function drawNumbers(painter, { layout, layers, heads, chosen, large, colours, muted }) {
  const { mean, top, step, side } = layout;
  const every = step < CLOSE ? 2 : 1;
  /** @type {(isChosen: boolean) => TextStyle} */
  const style = (isChosen) => ({
    colour: isChosen ? colours.text : muted,
    weight: isChosen ? 700 : 400,
    size: large ? SIZES.large : SIZES.small,
    align: "center",
  });
  const meanStyle = style(chosen.head === MEAN);
  if (large) painter.text(mean + side / 2, top / 2, "mean", meanStyle);
  else painter.text(mean + side, top / 2, "mean", { ...meanStyle, align: "end" });
  for (let head = 0; head < heads; head += every) {
    painter.text(columnOf(head, layout) + side / 2, top / 2, String(head), style(head === chosen.head));
  }
  for (let layer = 0; layer < layers; layer += every) {
    painter.text(mean / 2, top + step * layer + side / 2, String(layer), style(layer === chosen.layer));
  }
}

/**
 * A frame around a head, or around a layer's mean.
 * @param {Painter} painter
 * @param {Layout} layout
 * @param {Head} place
 * @param {{ stroke: string, lineWidth: number }} style
 */
function drawFrame(painter, layout, { layer, head }, style) {
  const { top, step, side } = layout;
  painter.rect(columnOf(head, layout) - 1, top + step * layer - 1, side + 2, side + 2, style);
}
