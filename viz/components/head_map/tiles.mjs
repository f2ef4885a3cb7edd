// @ts-check
// Every head's small picture: where it stands, how keys reach it, and its pixels. Places and sizes are CSS pixels.
import { pixelImage } from "../shared/canvas_painter.mjs";
import { ramp } from "../shared/colour.mjs";
import { HORIZONTAL, VERTICAL, movedWithin } from "../shared/keys.mjs";
import { clamped } from "../shared/ranges.mjs";
import { MEAN } from "../shared/selection.mjs";
/** @import { ColourScale, Tensor } from "../shared/types.mjs" */

/**
 * @typedef {{ layer: number, head: number }} Head
 * @typedef {Head & { image: HTMLCanvasElement }} Tile
 */

/**
 * Where everything is: the upper left of the first tile, the step from one to the next, a tile's side, and the size of
 * the whole picture.
 * @typedef {{ left: number, top: number, step: number, side: number, width: number, height: number }} Layout
 */

export const GAP = 2; // between two tiles
const LARGEST_STEP = 96;
const MARGINS = { small: { left: 24, top: 20 }, large: { left: 34, top: 26 } };

/**
 * @param {number} width of the page
 * @param {number} layers
 * @param {number} heads
 * @param {boolean} large
 * @returns {Layout}
 */
export function layoutOf(width, layers, heads, large) {
  const { left, top } = large ? MARGINS.large : MARGINS.small;
  const step = clamped(Math.floor((width - left) / heads), 4, LARGEST_STEP);
  return { left, top, step, side: step - GAP, width: left + step * heads, height: top + step * layers };
}

/**
 * The head under a point, or null beside the tiles.
 * @param {number} x
 * @param {number} y
 * @param {Layout} layout
 * @param {number} layers
 * @param {number} heads
 * @returns {Head | null}
 */
export function headAt(x, y, layout, layers, heads) {
  const layer = Math.floor((y - layout.top) / layout.step);
  const head = Math.floor((x - layout.left) / layout.step);
  const isInside = layer >= 0 && layer < layers && head >= 0 && head < heads;
  return isInside ? { layer, head } : null;
}

/**
 * Where a key moves the choice, or null if the key moves nothing. From the mean, sideways leads to the first or the
 * last head.
 * @param {string} key
 * @param {Head} from
 * @param {number} layers
 * @param {number} heads
 * @returns {Head | null}
 */
export function movedHead(key, { layer, head }, layers, heads) {
  const toLayer = movedWithin(key, layer, [0, layers], VERTICAL);
  if (toLayer !== null) return { layer: toLayer, head };
  const fromHead = head === MEAN && key === "ArrowLeft" ? heads : head; // one beyond the last head
  const toHead = movedWithin(key, fromHead, [0, heads], HORIZONTAL);
  return toHead === null ? null : { layer, head: toHead };
}

/**
 * Cells pooled by their maximum, so that a small picture loses no large weight.
 * @param {Uint8Array} cells
 * @param {number} rows
 * @param {number} columns
 * @param {number} size most cells along a side
 */
export function pooled(cells, rows, columns, size) {
  const [down, across] = [Math.min(rows, size), Math.min(columns, size)];
  if (down === rows && across === columns) return { cells, rows, columns };
  const small = new Uint8Array(down * across);
  for (let row = 0; row < rows; row++) {
    const target = Math.floor((row * down) / rows) * across;
    for (let column = 0; column < columns; column++) {
      const index = target + Math.floor((column * across) / columns);
      small[index] = Math.max(small[index], cells[row * columns + column]);
    }
  }
  return { cells: small, rows: down, columns: across };
}

/**
 * One head's weights as an image of one pixel each, or fewer where it is shown smaller.
 * @param {Tensor<Uint8Array>} thumbnails (L, H, R, C), round(255 · √w)
 * @param {Head} head
 * @param {number} size of the image's side on the screen, in its pixels
 * @param {ColourScale} scale
 */
export function tileImage({ shape: [, heads, rows, columns], values }, { layer, head }, size, scale) {
  const area = rows * columns;
  const start = (layer * heads + head) * area;
  const small = pooled(values.subarray(start, start + area), rows, columns, size);
  const colours = ramp(scale);
  const bytes = new Uint8ClampedArray(4 * small.cells.length);
  small.cells.forEach((cell, index) => bytes.set([...colours[cell], 255], index * 4));
  return pixelImage(bytes, small.columns, small.rows);
}

/** Every head's tile, kept while the message, the size and the colours stay. */
export class Tiles {
  /** @type {{ thumbnails: Tensor<Uint8Array>, key: string, list: Tile[] } | null} */
  #last = null;

  /**
   * @param {Tensor<Uint8Array>} thumbnails
   * @param {number} side of a tile
   * @param {ColourScale} scale
   * @returns {Tile[]}
   */
  of(thumbnails, side, scale) {
    const size = Math.round(side * window.devicePixelRatio);
    const key = `${size} ${scale}`;
    if (this.#last?.key === key && this.#last.thumbnails === thumbnails) return this.#last.list;
    const [layers, heads] = thumbnails.shape;
    const list = Array.from({ length: layers * heads }, (_, index) => {
      const head = { layer: Math.floor(index / heads), head: index % heads };
      return { ...head, image: tileImage(thumbnails, head, size, scale) };
    });
    this.#last = { thumbnails, key, list };
    return list;
  }
}
