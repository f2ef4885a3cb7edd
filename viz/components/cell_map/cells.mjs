// One head's weights as numbers, and as an image with a pixel for each weight.
import { pixelImage } from "../shared/canvas_painter.mjs";
import { pixelRamp } from "../shared/colour.mjs";
import { WEIGHTS, numberOf, planesOf } from "../shared/quantity.mjs";
import { sizeOf } from "./block.mjs";
import { cellSize, poolOf } from "./frame.mjs";
import { shareOf } from "./scale.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Range, Tensor } from "../shared/types.mjs" */
/** @import { Block } from "./block.mjs" */
/** @import { Pool } from "./frame.mjs" */
/** @import { Scale } from "./scale.mjs" */
/** @import { Drawing } from "./scene.mjs" */

export const HIDDEN = -1; // marks queries that do not exist yet; never a weight
/** @type {Scale} */
const EVENLY = { kind: "linear", most: 1 }; // the colour bar's own scale

/**
 * The image of a block's cells. Its size is in cells: the last pixel of a pooled image may cover fewer cells and
 * overhangs the block.
 * @typedef {{ canvas: HTMLCanvasElement, pool: Pool, rows: number, columns: number }} CellImage
 */

/**
 * Weights of one head, or the mean over all heads.
 * @param {Tensor<Uint16Array>} tensor (H, N, N) of a message
 * @param {number} head or MEAN
 * @param {number} until the first row that is HIDDEN
 * @param {Quantity} quantity of the numbers
 * @returns {Float32Array} N × N weights, row by row
 */
export function headWeights({ shape: [heads, count], values }, head, until = count, quantity = WEIGHTS) {
  const size = count * count;
  const weights = new Float32Array(size);
  const [first, end] = planesOf(head, heads, quantity);
  for (let index = first; index < end; index += 1) {
    for (let i = 0; i < size; i += 1) weights[i] += numberOf(values[index * size + i], quantity);
  }
  if (end - first > 1) for (let i = 0; i < size; i += 1) weights[i] /= end - first;
  return weights.fill(HIDDEN, Math.min(until, count) * count);
}

/**
 * The largest of every `down` × `across` weights of a block; the last ones may be the largest of fewer.
 * @param {Float32Array} weights
 * @param {number} count of units
 * @param {Block} block @param {Pool} pool
 */
export function pooled(weights, count, block, { down, across }) {
  const size = sizeOf(block);
  const [rows, columns] = [Math.ceil(size.rows / down), Math.ceil(size.columns / across)];
  const values = new Float32Array(rows * columns).fill(HIDDEN);
  for (let row = 0; row < size.rows; row += 1) {
    const source = (block.rows[0] + row) * count + block.columns[0];
    const target = Math.floor(row / down) * columns;
    for (let column = 0; column < size.columns; column += 1) {
      const index = target + Math.floor(column / across);
      values[index] = Math.max(values[index], weights[source + column]);
    }
  }
  return { values, rows, columns };
}

/**
 * RGBA bytes of weights; HIDDEN ones are transparent.
 * @param {Float32Array} values @param {Uint32Array} colours of a ramp @param {Scale} scale
 */
export function pixels(values, colours, scale) {
  const last = colours.length - 1;
  const written = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] !== HIDDEN) written[i] = colours[Math.round(shareOf(scale, values[i]) * last)];
  }
  return new Uint8ClampedArray(written.buffer);
}

/** Builds the images of a block (pooled if the screen has too few pixels) and of the colour bar. */
export class Images {
  #key = "";
  /** @type {{ image: CellImage, scale: HTMLCanvasElement } | null} */
  #last = null;

  /**
   * The images of a drawing, cached while cells, colours and pooling are the same.
   * @param {Drawing} drawing
   * @param {number} ratio pixels of the screen for one of the page
   */
  of(drawing, ratio) {
    const { shown, weights, count, block, scale, ink } = drawing;
    const pool = poolOf(cellSize(drawing), ratio);
    const key = `${shown} ${pool.down} ${pool.across} ${JSON.stringify([scale, ink.sequential])}`;
    if (this.#last && this.#key === key) return this.#last;
    const colours = pixelRamp(ink.sequential);
    const { values, rows, columns } = pooled(weights, count, block, pool);
    const canvas = pixelImage(pixels(values, colours, scale), columns, rows);
    const shares = Float32Array.from(colours, (_, step) => step / (colours.length - 1));
    this.#key = key;
    this.#last = {
      image: { canvas, pool, rows: rows * pool.down, columns: columns * pool.across },
      scale: pixelImage(pixels(shares, colours, EVENLY), colours.length, 1),
    };
    return this.#last;
  }
}

/**
 * The largest weight of a block; 0 for an empty block.
 * @param {Float32Array} weights
 * @param {number} count of units
 * @param {Block} block
 */
export function largestIn(weights, count, { rows, columns }) {
  let largest = 0;
  for (let row = rows[0]; row < rows[1]; row += 1) {
    for (let column = columns[0]; column < columns[1]; column += 1) {
      largest = Math.max(largest, weights[row * count + column]);
    }
  }
  return largest;
}

/**
 * The column with a row's largest weight, or -1 for a hidden row.
 * @param {Float32Array} weights
 * @param {number} count of units
 * @param {number} row @param {Range} columns
 */
export function strongest(weights, count, row, [from, to]) {
  let best = -1;
  for (let column = from; column < to; column += 1) {
    const weight = weights[row * count + column];
    if (weight !== HIDDEN && (best < 0 || weight > weights[row * count + best])) best = column;
  }
  return best;
}
