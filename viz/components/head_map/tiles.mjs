// The thumbnails of all heads: numbering, layout, hit testing, keys and pixels. Sizes are CSS pixels.
import { pixelImage } from "../shared/canvas_painter.mjs";
import { pixelRamp } from "../shared/colour.mjs";
import { ENDS, HORIZONTAL, VERTICAL, movedWithin } from "../shared/keys.mjs";
import { WEIGHTS, planeOf, separatesHeads } from "../shared/quantity.mjs";
import { clamped, unitsIn } from "../shared/ranges.mjs";
import { MEAN } from "../shared/selection.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { ColourScale, Head, Tensor } from "../shared/types.mjs" */

/**
 * A head by the row and the column of its tile; the means' column is MEAN.
 * @typedef {{ layer: number, head: number }} Place
 */

export class Numbering {
  /**
   * @param {{ layers: number, heads: number }} counts of what there is
   * @param {{ layers?: readonly number[], heads?: readonly number[] }} [shown] the number of each row, and of each column
   */
  constructor(counts, { layers, heads } = {}) {
    this.layers = layers ?? unitsIn([0, counts.layers]);
    this.heads = heads ?? unitsIn([0, counts.heads]);
  }

  /** The head whose tile is at a place. @param {Place} place @returns {Head} */
  headAt({ layer, head }) {
    return { layer: this.layers[layer], head: head === MEAN ? MEAN : this.heads[head] };
  }

  /** Where a head's tile is, or null where the map has none. @param {Head} head @returns {Place | null} */
  placeOf({ layer, head }) {
    const [row, column] = [this.layers.indexOf(layer), head === MEAN ? MEAN : this.heads.indexOf(head)];
    return row < 0 || (column < 0 && head !== MEAN) ? null : { layer: row, head: column };
  }

  /** The largest numbers, up to which numbers can be typed. */
  get ends() {
    return { layer: Math.max(...this.layers), head: Math.max(...this.heads) };
  }
}

/** @typedef {Place & { image: HTMLCanvasElement }} Tile */

/**
 * Positions: the column of the layers' means, that of head 0, the first row, the step between tiles, a tile's side, and
 * the size of the picture.
 * @typedef {object} Layout
 * @property {number} mean
 * @property {number} left
 * @property {number} top
 * @property {number} step
 * @property {number} side
 * @property {number} width
 * @property {number} height
 * @property {number} [across] layers in a row, if heads are not separated
 */

export const GAP = 2; // between two tiles
const APART = 4; // gap between the means and the heads
const LARGEST_STEP = 96;
const REST_OF_PAGE = 345; // pixels of the window above the map of all heads
const LEAST_STEP = 72; // pixels of a tile whose label can be read
const MARGINS = { small: { mean: 24, top: 24 }, large: { mean: 34, top: 26 } };

/**
 * The largest height of a map on the page, with which all its layers are in the window; null where they cannot be.
 * @param {number} windowHeight @param {number} layers
 */
export function roomOnPage(windowHeight, layers) {
  const room = windowHeight - REST_OF_PAGE;
  return room - MARGINS.large.top >= LEAST_STEP * layers ? room : null;
}

/**
 * @param {number} width of the page
 * @param {number} layers @param {number} heads @param {boolean} large
 * @param {number | null} [room] largest height, if limited
 * @returns {Layout}
 */
export function layoutOf(width, layers, heads, large, room = null) {
  const { mean, top } = large ? MARGINS.large : MARGINS.small;
  const most = room === null ? LARGEST_STEP : Math.min(LARGEST_STEP, Math.floor((room - top) / layers));
  const step = clamped(Math.floor((width - mean - APART) / (heads + 1)), 4, Math.max(most, 4));
  const left = mean + step + APART;
  return { mean, left, top, step, side: step - GAP, width: left + step * heads, height: top + step * layers };
}

const LARGEST_TILE = 240; // pixels of a layer's tile without heads
const ACROSS = [3, 4, 6]; // tiles of up to 6 layers, of up to 12, and of more

/**
 * The layout of layers if heads are not separated: side by side, with their numbers above.
 * @param {number} width of the page
 * @param {number} layers
 * @param {number | null} [room] largest height, if limited
 * @returns {Layout}
 */
export function layerLayout(width, layers, room = null) {
  const across = Math.min(layers, ACROSS[Math.min(Math.floor((layers - 1) / 6), ACROSS.length - 1)]);
  const down = Math.ceil(layers / across);
  const { top } = MARGINS.large;
  const most = room === null ? LARGEST_TILE : Math.min(LARGEST_TILE, Math.floor(room / down) - top);
  const step = clamped(Math.floor(width / across), 4, Math.max(most, 4));
  return {
    mean: 0,
    left: width,
    top,
    step,
    side: step - GAP,
    width: step * across,
    height: (step + top) * down,
    across,
  };
}

/** Where a tile's upper left is. @param {Head} place @param {Layout} layout @returns {[x: number, y: number]} */
export function cornerOf({ layer, head }, layout) {
  const { top, step, across } = layout;
  if (!across) return [columnOf(head, layout), top + step * layer];
  return [step * (layer % across), top + (step + top) * Math.floor(layer / across)];
}

/**
 * The layer whose tile or number is at a point, or null.
 * @param {number} x @param {number} y
 * @param {Layout} layout of `layerLayout`
 * @param {number} layers
 */
export function layerAt(x, y, { top, step, across = 1 }, layers) {
  const column = Math.floor(x / step);
  const layer = Math.floor(y / (step + top)) * across + column;
  return x < 0 || y < 0 || column >= across || layer >= layers ? null : layer;
}

/**
 * Where a head's column begins, or that of the mean.
 * @param {number} head @param {Pick<Layout, "mean" | "left" | "step">} layout
 */
export function columnOf(head, { mean, left, step }) {
  return head === MEAN ? mean : left + step * head;
}

/**
 * The head at a point: of a tile, or in a margin the row's layer or the column's head, with the other coordinate as
 * chosen. Null outside.
 * @param {number} x @param {number} y @param {Layout} layout @param {number} layers @param {number} heads
 * @param {Head} chosen @returns {Head | null}
 */
export function headAt(x, y, layout, layers, heads, chosen) {
  const layer = y < layout.top ? chosen.layer : Math.floor((y - layout.top) / layout.step);
  const inMargin = x < layout.mean && y >= layout.top;
  const head = x < layout.left ? MEAN : Math.floor((x - layout.left) / layout.step);
  if (x < 0 || y < 0 || layer >= layers || head >= heads) return null;
  return { layer, head: inMargin ? chosen.head : head };
}

/**
 * The head that a key moves to, or null. The mean comes before the first head.
 * @param {string} key @param {Head} from @param {number} layers @param {number} heads @returns {Head | null}
 */
export function movedHead(key, { layer, head }, layers, heads) {
  const toLayer = movedWithin(key, layer, [0, layers], VERTICAL);
  if (toLayer !== null) return { layer: toLayer, head };
  const toHead = movedWithin(key, head, [MEAN, heads], { ...HORIZONTAL, ...ENDS });
  return toHead === null ? null : { layer, head: toHead };
}

/**
 * Cells pooled by their maximum, so that a small tile shows every large weight.
 * @param {Uint8Array} cells @param {number} rows @param {number} columns
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
 * One head's cells, or the mean of a layer's; or a plane of another quantity.
 * @param {Tensor<Uint8Array>} thumbnails (L, H, R, C), round(255 · √w)
 * @param {Head} head @param {Quantity} [quantity]
 */
export function cellsOf({ shape: [, ...shape], values }, { layer, head }, quantity = WEIGHTS) {
  const size = shape.reduce((product, count) => product * count, 1);
  return planeOf({ shape, values: values.subarray(layer * size, (layer + 1) * size) }, head, quantity);
}

/**
 * One head's weights as an image with a pixel each, pooled for small tiles.
 * @param {Tensor<Uint8Array>} thumbnails @param {Head} head
 * @param {number} size of the image's side on the screen, in its pixels
 * @param {ColourScale} scale @param {Quantity} [quantity]
 * @param {HTMLCanvasElement} [canvas] a discarded canvas to reuse
 */
export function tileImage(thumbnails, head, size, scale, quantity = WEIGHTS, canvas) {
  const [, , rows, columns] = thumbnails.shape;
  const small = pooled(cellsOf(thumbnails, head, quantity), rows, columns, size);
  const colours = pixelRamp(scale);
  const pixels = new Uint32Array(small.cells.length);
  for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = colours[small.cells[cell]];
  return pixelImage(new Uint8ClampedArray(pixels.buffer), small.columns, small.rows, canvas);
}

/** Every head's tile and every layer's mean, cached while message, size and colours are the same. */
export class Tiles {
  /** @type {{ thumbnails: Tensor<Uint8Array>, key: string, list: Tile[] } | null} */
  #last = null;

  /**
   * @param {Tensor<Uint8Array>} thumbnails of all heads, in the map's layers
   * @param {Numbering} numbering
   * @param {number} pixels of the screen that a tile's side takes
   * @param {ColourScale} scale @param {Quantity} [quantity] @returns {Tile[]}
   */
  of(thumbnails, numbering, pixels, scale, quantity = WEIGHTS) {
    const size = Math.round(pixels);
    const key = `${size} ${scale}`;
    if (this.#last?.key === key && this.#last.thumbnails === thumbnails) return this.#last.list;
    const columns = unitsIn([MEAN, separatesHeads(quantity) ? numbering.heads.length : 0]);
    const places = unitsIn([0, numbering.layers.length]).flatMap((layer) =>
      columns.map((column) => ({ layer, head: column })),
    );
    const list = places.map((place, index) => {
      const head = { layer: place.layer, head: numbering.headAt(place).head };
      return { ...place, image: tileImage(thumbnails, head, size, scale, quantity, this.#last?.list[index]?.image) };
    });
    this.#last = { thumbnails, key, list };
    return list;
  }
}
