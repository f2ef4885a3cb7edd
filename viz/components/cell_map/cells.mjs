// One head's weights as numbers, and as a small picture with a pixel for each of them.
import { weightOf } from "../shared/blob.mjs";
import { ramp } from "../shared/paint.mjs";
import { cellSize, poolOf } from "./frame.mjs";

export const HIDDEN = -1; // what a filter leaves out; never a weight

/** Weights of one head, or their mean where `head` is -1, from a message's (H, N, N): N × N floats, row by row. */
export function headWeights({ shape: [heads, count], values }, head) {
  const size = count * count;
  const weights = new Float32Array(size);
  const [first, last] = head < 0 ? [0, heads] : [head, head + 1];
  for (let at = first; at < last; at += 1) {
    for (let i = 0; i < size; i += 1) weights[i] += weightOf(values[at * size + i]);
  }
  if (last - first > 1) for (let i = 0; i < size; i += 1) weights[i] /= last - first;
  return weights;
}

/** The rows and columns that a filter such as "A→B" shows: { rows: [from, to), columns: [from, to) }. */
export function blockOf(sentences, bStart, count) {
  const all = [0, count];
  if (sentences === "all" || bStart === null) return { rows: all, columns: all };
  const [rows, columns] = sentences.split("→").map((letter) => (letter === "B" ? [bStart, count] : [0, bStart]));
  return { rows, columns };
}

export function inBlock({ rows, columns }, { row, column }) {
  return row >= rows[0] && row < rows[1] && column >= columns[0] && column < columns[1];
}

/** The nearest cell of a block; a block of no cells gives one that is outside of it. */
export function nearestIn({ rows, columns }, { row, column }) {
  const into = ([from, to], at) => Math.max(from, Math.min(to - 1, at));
  return { row: into(rows, row), column: into(columns, column) };
}

/** The weights with everything outside of the block HIDDEN; the input is left as it is. */
export function filtered(weights, count, block) {
  const kept = new Float32Array(weights.length).fill(HIDDEN);
  const [left, right] = block.columns;
  for (let row = block.rows[0]; row < block.rows[1]; row += 1) {
    kept.set(weights.subarray(row * count + left, row * count + right), row * count + left);
  }
  return kept;
}

/** The largest of every `down` × `across` weights: { values, rows, columns }, the last of each perhaps of fewer. */
export function pooled(weights, count, { down, across }) {
  const [rows, columns] = [Math.ceil(count / down), Math.ceil(count / across)];
  const values = new Float32Array(rows * columns).fill(HIDDEN);
  for (let row = 0; row < count; row += 1) {
    const to = Math.floor(row / down) * columns;
    for (let column = 0; column < count; column += 1) {
      const at = to + Math.floor(column / across);
      values[at] = Math.max(values[at], weights[row * count + column]);
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

/** The image of a scene's cells, pooled where the screen has too few pixels for them, and that of the colour bar. */
export class Images {
  /** The last ones while head, colours and pooling stay: { image, scale }. `ratio` is pixels of the screen for one. */
  of({ head, weights, count, area, frame, ink }, ratio) {
    const pool = poolOf(cellSize(area, frame, count), ratio);
    const made = `${head} ${pool.down} ${pool.across} ${JSON.stringify(ink.sequential)}`;
    if (this.made === made) return this.last;
    const colours = ramp(ink.sequential);
    const { values, rows, columns } = pooled(weights, count, pool);
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

/** The column with a row's largest weight, or -1 where the row is hidden. */
export function strongest(weights, count, row) {
  let best = -1;
  for (let column = 0; column < count; column += 1) {
    const weight = weights[row * count + column];
    if (weight !== HIDDEN && (best < 0 || weight > weights[row * count + best])) best = column;
  }
  return best;
}
