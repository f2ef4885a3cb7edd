// @ts-check
// The lines of a head view as strokes: runs of lines that have one colour, opacity and width.
import { HEADER, spreadOf } from "./layout.mjs";
import { BUCKETS, FEW_HEADS, byStrength, cellsOfToken, opacityOf, rootOf } from "./lines.mjs";
/** @import { LineStyle, Painter } from "../shared/types.mjs" */
/** @import { Part, Token } from "./layout.mjs" */
/** @import { Buckets } from "./lines.mjs" */
/** @import { Scene } from "./scene.mjs" */

const AT_ONCE = 20_000; // lines in one stroke
const MOST_THICK = 200; // of a token's lines; wider than a pixel of the screen, lines are ten times slower
const BEND = 0.42; // share of the way across

/**
 * @typedef {LineStyle & { segments: Float32Array }} Stroke
 * @typedef {Generator<Stroke, void, void>} Strokes
 * @typedef {Omit<LineStyle, "colour">} BucketStyle
 */

/**
 * Thickness of thick lines in CSS pixels; many heads share the height of a row.
 * @param {number} bucket
 * @param {number} heads
 */
function thickness(bucket, heads) {
  return 1 + (heads > FEW_HEADS ? 2.5 : 5) * rootOf(bucket) ** 2;
}

/**
 * Strokes of all lines that are picked.
 * @param {Scene} scene
 * @param {Part} part
 * @returns {Strokes}
 */
export function pickedStrokes(scene, part) {
  const { planes, fine, hair } = scene;
  /** @type {(bucket: number) => BucketStyle} */
  const styleOf = (bucket) => ({
    alpha: opacityOf(bucket, planes.length),
    width: fine ? hair : thickness(bucket, planes.length),
    bend: fine ? 0 : BEND,
  });
  const picks = planes.map((plane) => plane.picks);
  return strokesOf(scene, part, picks, styleOf, BUCKETS);
}

/**
 * Strokes of one token's lines to the other side, all of them.
 * @param {Scene} scene
 * @param {Part} part
 * @param {Token} token
 * @returns {Strokes}
 */
export function tokenStrokes(scene, part, { side, unit }) {
  const { planes, ranges, size, fine, hair } = scene;
  const all = cellsOfToken(size, side, unit, ranges[1 - side]);
  const sorted = planes.map(({ values }) => byStrength(all, values));
  const counted = Array.from({ length: BUCKETS + 1 }, (_, bucket) =>
    sorted.reduce((sum, { starts }) => sum + starts[bucket], 0),
  );
  const thin = thinFrom(counted, MOST_THICK);
  /** @type {(bucket: number) => BucketStyle} */
  const styleOf = (bucket) => ({
    alpha: rootOf(bucket),
    width: bucket < thin ? thickness(bucket, planes.length) : hair,
    bend: bucket < thin && !fine ? BEND : 0,
  });
  return strokesOf(scene, part, sorted, styleOf, BUCKETS - 1); // the last bucket's lines cannot be seen
}

/**
 * From which bucket on lines are thin, so that at most `most` are thick.
 * @param {ArrayLike<number>} starts
 * @param {number} most
 */
export function thinFrom(starts, most) {
  let bucket = 0;
  while (bucket < BUCKETS && starts[bucket + 1] <= most) bucket++;
  return bucket;
}

/**
 * Strokes of the lines that cross the part, the strongest first: what is drawn early is what counts.
 * @param {Scene} scene
 * @param {Part} part
 * @param {readonly Buckets[]} picked each plane's cells
 * @param {(bucket: number) => BucketStyle} styleOf
 * @param {number} buckets how many are drawn
 * @returns {Strokes}
 */
function* strokesOf({ planes, layout, size }, { top, height }, picked, styleOf, buckets) {
  const [left, right] = layout.lines;
  const [queryYs, keyYs] = layout.ys;
  const shifts = spreadOf(planes.length, layout.row);
  const [low, high] = [top + HEADER, top + height];
  const most = Math.max(0, ...picked.map(({ cells }) => cells.length));
  const segments = new Float32Array(4 * Math.min(AT_ONCE, most));
  for (let bucket = 0; bucket < buckets; bucket++) {
    const style = styleOf(bucket);
    for (const [index, { cells, starts }] of picked.entries()) {
      const { colour } = planes[index];
      let filled = 0;
      for (let next = starts[bucket]; next < starts[bucket + 1]; next++) {
        const query = Math.floor(cells[next] / size);
        const y1 = queryYs[query] + shifts[index];
        const y2 = keyYs[cells[next] - query * size] + shifts[index];
        if ((y1 < low && y2 < low) || (y1 > high && y2 > high)) continue;
        segments[filled] = left;
        segments[filled + 1] = y1 - top;
        segments[filled + 2] = right;
        segments[filled + 3] = y2 - top;
        filled += 4;
        if (filled === segments.length) {
          yield { segments, colour, ...style };
          filled = 0;
        }
      }
      if (filled) yield { segments: segments.subarray(0, filled), colour, ...style };
    }
  }
}

/**
 * Draw strokes until `most` lines are drawn.
 * @param {Painter} painter
 * @param {Strokes} strokes
 * @param {Scene} scene
 * @param {Part} part
 * @param {number} most
 * @returns {boolean} whether there are more
 */
export function drawStrokes(painter, strokes, { layout }, { height }, most = Infinity) {
  let drawn = 0;
  let hasMore = true;
  painter.clip(0, HEADER, layout.width, height - HEADER, () => {
    while (hasMore && drawn < most) {
      const { done, value } = strokes.next();
      if (done) {
        hasMore = false;
        break;
      }
      drawn += value.segments.length / 4;
      painter.lines(value.segments, value);
    }
  });
  return hasMore;
}

/**
 * Nothing to draw.
 * @returns {Strokes}
 */
export function* noStrokes() {}

/** Draws strokes on one canvas, in as many frames as they need. Newer strokes end the drawing of older ones. */
export class StrokesInFrames {
  /** @type {Strokes | null} */
  #strokes = null;

  /** @param {number} most lines of a frame */
  constructor(most) {
    this.most = most;
  }

  /**
   * @param {Painter} painter
   * @param {Strokes} strokes
   * @param {Scene} scene
   * @param {Part} part
   * @param {() => void} finished called when all strokes are drawn
   */
  draw(painter, strokes, scene, part, finished = () => {}) {
    this.#strokes = strokes;
    const drawSome = () => {
      if (this.#strokes !== strokes) return;
      if (drawStrokes(painter, strokes, scene, part, this.most)) requestAnimationFrame(drawSome);
      else finished();
    };
    drawSome();
  }
}
