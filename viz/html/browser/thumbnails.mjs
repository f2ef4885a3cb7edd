// Makes the map's thumbnails from the layers of the page, so that the file contains the weights once.
import { sentenceRanges, lengthOf } from "../../components/shared/ranges.mjs";
/** @import { LayerMessage, SentenceFilter, Tensor } from "../../components/shared/types.mjs" */

const MOST = 48; // cells along a side; as in viz/payloads/model_map.py
const STEPS = { root: 65535, thumbnail: 255 };

/**
 * Thumbnails of every head of some layers, or of a block of their matrices.
 * @param {readonly LayerMessage[]} layers @param {SentenceFilter} sentences
 * @returns {Tensor<Uint8Array>} (L, H, R, C) of round(255 · √w), pooled by the maximum
 */
export function thumbnailsOf(layers, sentences) {
  const [{ tensors, extras }] = layers;
  const [heads, count] = tensors.weights.shape;
  const [queries, keys] = sentenceRanges(sentences, extras.b_start, count);
  const [rows, columns] = [Math.min(lengthOf(queries), MOST), Math.min(lengthOf(keys), MOST)];
  const values = new Uint8Array(layers.length * heads * rows * columns);
  layers.forEach(({ tensors: { weights } }, layer) => {
    for (let head = 0; head < heads; head += 1) {
      const target = values.subarray(
        (layer * heads + head) * rows * columns,
        (layer * heads + head + 1) * rows * columns,
      );
      pool(
        weights.values.subarray(head * count * count, (head + 1) * count * count),
        { count, queries, keys },
        target,
        [rows, columns],
      );
    }
  });
  return { shape: [layers.length, heads, rows, columns], values };
}

/**
 * @param {Uint16Array} roots (U, U) of a head
 * @param {{ count: number, queries: readonly [number, number], keys: readonly [number, number] }} block
 * @param {Uint8Array} target (R, C)
 * @param {[rows: number, columns: number]} size of the target
 */
function pool(roots, { count, queries, keys }, target, [rows, columns]) {
  const [down, across] = [lengthOf(queries), lengthOf(keys)];
  for (let row = 0; row < down; row += 1) {
    const start = runOf(row, down, rows) * columns;
    for (let column = 0; column < across; column += 1) {
      const index = start + runOf(column, across, columns);
      const root = roots[(queries[0] + row) * count + keys[0] + column];
      target[index] = Math.max(target[index], Math.round((root * STEPS.thumbnail) / STEPS.root));
    }
  }
}

/**
 * The index's run among `size` runs of nearly equal length, where run i begins at ⌊i · count / size⌋.
 * @param {number} index @param {number} count @param {number} size
 */
function runOf(index, count, size) {
  return Math.floor(((index + 1) * size - 1) / count);
}
