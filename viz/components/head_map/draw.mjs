// @ts-check
// Draws the map of all heads through a painter.
import { drawRing } from "../shared/points.mjs";
import { MEAN } from "../shared/selection.mjs";
import { columnOf } from "./tiles.mjs";
/** @import { Colours, Painter, TextStyle } from "../shared/types.mjs" */
/** @import { Numbering, Place } from "./numbering.mjs" */
/** @import { Layout, Tile } from "./tiles.mjs" */

const SIZES = { small: 14, large: 15 }; // of the numbers
const CLOSE = 18; // pixels from one tile to the next, below which every other one is numbered

/**
 * @typedef {object} MapScene
 * @property {Layout} layout
 * @property {Tile[]} tiles
 * @property {Numbering} numbering
 * @property {Place | null} chosen
 * @property {Place | null} hovered
 * @property {Place[]} pointed heads that a stop of a tour points at
 * @property {boolean} large
 * @property {Colours} colours
 * @property {string} muted
 */

/** @param {Painter} painter @param {MapScene} scene */
export function drawMap(painter, scene) {
  const { layout, tiles, colours, chosen, hovered, pointed } = scene;
  const { top, step, side } = layout;
  drawNumbers(painter, scene);
  for (const { layer, head, image } of tiles) {
    const [x, y] = [columnOf(head, layout), top + step * layer];
    painter.image(image, x, y, side, side);
    painter.rect(x + 0.5, y + 0.5, side - 1, side - 1, { stroke: colours.border });
  }
  if (hovered) drawFrame(painter, layout, hovered, { stroke: colours.text, lineWidth: 1.5 });
  if (chosen) drawFrame(painter, layout, chosen, { stroke: colours.primary, lineWidth: 3 });
  for (const { layer, head } of pointed) {
    const [x, y] = [columnOf(head, layout), top + step * layer];
    drawRing(painter, { x, y, width: side, height: side }, colours);
  }
}

/** @param {Painter} painter @param {MapScene} scene */
function drawNumbers(painter, { layout, numbering, chosen, large, colours, muted }) {
  const { mean, top, step, side } = layout;
  const { layers, heads } = numbering;
  const every = step < CLOSE ? 2 : 1;
  /** @type {(isChosen: boolean) => TextStyle} */
  const style = (isChosen) => ({
    colour: isChosen ? colours.text : muted,
    weight: isChosen ? 700 : 400,
    size: large ? SIZES.large : SIZES.small,
    align: "center",
  });
  const meanStyle = style(chosen?.head === MEAN);
  if (large) painter.text(mean + side / 2, top / 2, "mean", meanStyle);
  else painter.text(mean + side, top / 2, "mean", { ...meanStyle, align: "end" });
  for (let column = 0; column < heads.length; column += every) {
    const x = columnOf(column, layout) + side / 2;
    painter.text(x, top / 2, String(heads[column]), style(column === chosen?.head));
  }
  for (let row = 0; row < layers.length; row += every) {
    painter.text(mean / 2, top + step * row + side / 2, String(layers[row]), style(row === chosen?.layer));
  }
}

/**
 * A frame around a head, or around a layer's mean.
 * @param {Painter} painter
 * @param {Layout} layout
 * @param {Place} place
 * @param {{ stroke: string, lineWidth: number }} style
 */
function drawFrame(painter, layout, { layer, head }, style) {
  const { top, step, side } = layout;
  painter.rect(columnOf(head, layout) - 1, top + step * layer - 1, side + 2, side + 2, style);
}
