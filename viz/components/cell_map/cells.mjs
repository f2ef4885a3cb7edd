// One head's weights as numbers, and as a small picture with a pixel for each of them.
import { weightOf } from "../shared/blob.mjs";
import { ramp } from "../shared/paint.mjs";
import { sizeOf } from "./block.mjs";
import { cellSize, poolOf } from "./frame.mjs";

export const HIDDEN = -1; // of queries that do not exist yet; never a weight

/**
 * Weights of one head, or their mean where `head` is -1, from a message's (H, N, N): N × N floats, row by row, HIDDEN
 * from the row `until` on.
 */
export function headWeights({ shape: [heads, count], values }, head, until = count) {
  const size = count * count;
  const weights = new Float32Array(size);
  const [first, last] = head < 0 ? [0, heads] : [head, head + 1];
  for (let at = first; at < last; at += 1) {
    for (let i = 0; i < size; i += 1) weights[i] += weightOf(values[at * size + i]);
  }
  if (last - first > 1) for (let i = 0; i < size; i += 1) weights[i] /= last - first;
  return weights.fill(HIDDEN, Math.min(until, count) * count);
}

/** The largest of every `down` × `across` weights of a block: { values, rows, columns }, the last perhaps of fewer. */
export function pooled(weights, count, block, { down, across }) {
  const size = sizeOf(block);
  const [rows, columns] = [Math.ceil(size.rows / down), Math.ceil(size.columns / across)];
  const values = new Float32Array(rows * columns).fill(HIDDEN);
  for (let row = 0; row < size.rows; row += 1) {
    const from = (block.rows[0] + row) * count + block.columns[0];
    const to = Math.floor(row / down) * columns;
    for (let column = 0; column < size.columns; column += 1) {
      const at = to + Math.floor(column / across);
      values[at] = Math.max(values[at], weights[from + column]);
    }
  }
  return { values, rows, columns };
}

/** RGBA bytes of weights in [0, 1]: the colours of a ramp, nothing where they are HIDDEN. */
export function pixels(values, colours) {
  // A pixel is written as one number, whose lowest byte comes first.
  const packed = Uint32Array.from(colours, ([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red);
  const last = packed.length - 1;
  const written = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] !== HIDDEN) written[i] = packed[Math.round(values[i] * last)];
  }
  return new Uint8ClampedArray(written.buffer);
}

/** A canvas of one pixel per value. */
export function imageOf(values, columns, rows, colours) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: columns, height: rows });
  canvas.getContext("2d").putImageData(new ImageData(pixels(values, colours), columns, rows), 0, 0);
  return canvas;
}

/** The image of a scene's block, pooled where the screen has too few pixels for them, and that of the colour bar. */
export class Images {
  /** The last ones while cells, colours and pooling stay: { image, scale }. `ratio` is pixels of the screen for one. */
  of(scene, ratio) {
    const { shown, weights, count, block, frame, ink } = scene;
    const pool = poolOf(cellSize(scene, frame), ratio);
    const made = `${shown} ${pool.down} ${pool.across} ${JSON.stringify(ink.sequential)}`;
    if (this.made === made) return this.last;
    const colours = ramp(ink.sequential);
    const { values, rows, columns } = pooled(weights, count, block, pool);
    // Sizes count cells: the last pixel of a pooled image may stand for fewer of them, and hangs over.
    const size = { rows: rows * pool.down, columns: columns * pool.across };
    const shares = Float32Array.from(colours, (_, at) => at / (colours.length - 1));
    this.made = made;
    this.last = {
      image: { pool, canvas: imageOf(values, columns, rows, colours), ...size },
      scale: imageOf(shares, colours.length, 1, colours),
    };
    return this.last;
  }
}

/** The column with a row's largest weight, of columns [from, to), or -1 where the row is hidden. */
export function strongest(weights, count, row, [from, to]) {
  let best = -1;
  for (let column = from; column < to; column += 1) {
    const weight = weights[row * count + column];
    if (weight !== HIDDEN && (best < 0 || weight > weights[row * count + best])) best = column;
  }
  return best;
}
