// @ts-check
// Draws the map of all heads through a painter.
import { MEAN } from "../shared/selection.mjs";
import { GAP } from "./tiles.mjs";
/** @import { Colours, Painter, TextStyle } from "../shared/types.mjs" */
/** @import { Head, Layout, Tile } from "./tiles.mjs" */

const SIZES = { small: 14, large: 15 }; // of the numbers
const CLOSE = 14; // pixels from one tile to the next, below which every other one is numbered

/**
 * @typedef {object} MapScene
 * @property {Layout} layout
 * @property {Tile[]} tiles
 * @property {number} layers
 * @property {number} heads
 * @property {Head} chosen
 * @property {boolean} large
 * @property {Colours} colours
 * @property {string} muted
 */

/** @param {Painter} painter @param {MapScene} scene */
export function drawMap(painter, scene) {
  const { layout, tiles, colours } = scene;
  const { left, top, step, side } = layout;
  drawNumbers(painter, scene);
  for (const { layer, head, image } of tiles) {
    const [x, y] = [left + step * head, top + step * layer];
    painter.image(image, x, y, side, side);
    painter.rect(x + 0.5, y + 0.5, side - 1, side - 1, { stroke: colours.border });
  }
  drawChosen(painter, scene);
}

/** @param {Painter} painter @param {MapScene} scene */
function drawNumbers(painter, { layout, layers, heads, chosen, large, colours, muted }) {
  const { left, top, step, side } = layout;
  const every = step < CLOSE ? 2 : 1;
  /** @type {(isChosen: boolean) => TextStyle} */
  const style = (isChosen) => ({
    colour: isChosen ? colours.text : muted,
    weight: isChosen ? 700 : 400,
    size: large ? SIZES.large : SIZES.small,
    align: "center",
  });
  for (let head = 0; head < heads; head += every) {
    painter.text(left + step * head + side / 2, top / 2, String(head), style(head === chosen.head));
  }
  for (let layer = 0; layer < layers; layer += every) {
    painter.text(left / 2, top + step * layer + side / 2, String(layer), style(layer === chosen.layer));
  }
}

/**
 * A frame around the chosen head; around all of a layer where its mean is chosen.
 * @param {Painter} painter
 * @param {MapScene} scene
 */
function drawChosen(painter, { layout, heads, chosen, colours }) {
  const { left, top, step, side } = layout;
  const [first, count] = chosen.head === MEAN ? [0, heads] : [chosen.head, 1];
  const [x, y] = [left + step * first, top + step * chosen.layer];
  painter.rect(x - 1, y - 1, step * count - GAP + 2, side + 2, { stroke: colours.primary, lineWidth: 3 });
}
