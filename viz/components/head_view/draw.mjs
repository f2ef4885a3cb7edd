// Renders a head view through a painter: tokens, lines, weights, frames, a tour's rings, and the saved picture.
import { weightOf } from "../shared/message.mjs";
import { drawRing, unitsOf } from "../shared/points.mjs";
import { fileName, isWeights } from "../shared/quantity.mjs";
import { isIn } from "../shared/ranges.mjs";
import { MEAN } from "../shared/selection.mjs";
import { fitted } from "../shared/text.mjs";
import { HEADER, NUMBER, spreadOf, unitAt } from "./layout.mjs";
import { BUCKETS, FEW_HEADS, byStrength, cellsOfToken, meanWeights, opacityOf, rootOf } from "./lines.mjs";
import { written } from "./words.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Measure } from "../shared/text.mjs" */
/** @import { LineStyle, Painter, Picture, TextStyle } from "../shared/types.mjs" */
/** @import { Layout, Part, Token } from "./layout.mjs" */
/** @import { Buckets, Side } from "./lines.mjs" */
/** @import { Scene } from "./scene.mjs" */

/** @type {readonly Side[]} */
const SIDES = [0, 1];
const TITLE = 15; // pixels of the title's font
const BOLD = 1.1; // width of bold text relative to plain text
const GAP = 16; // pixels between the title and the names of the sides; with less room the title stands alone

/** @param {string} title @param {Layout} layout @param {Measure} measure of the labels' font */
const titleWidth = (title, { font }, measure) => (measure(title) * BOLD * TITLE) / font;

/**
 * Tokens, the names of the sides, and the sentence strips.
 * @param {Painter} painter @param {Scene} scene @param {Part} part @param {Measure} measure
 */
export function drawTokens(painter, scene, part, measure) {
  const { layout, labels, special, until, colours, bStart, title } = scene;
  const middle = HEADER / 2 - 2;
  /** @type {TextStyle} */
  const muted = { colour: colours.muted, size: 14 };
  if (titleWidth(title, layout, measure) <= layout.labels[1] - layout.labels[0] - GAP) {
    painter.text(layout.labels[0], middle, "from (query)", { ...muted, align: "end" });
    painter.text(layout.labels[1], middle, "to (key)", muted);
  }
  painter.text(layout.width / 2, middle, title, { colour: colours.text, size: TITLE, align: "center", weight: 600 });
  painter.clip(0, HEADER, layout.width, part.height - HEADER, () => {
    for (const side of SIDES) {
      if (bStart !== null) drawSentences(painter, scene, part, side, bStart);
      for (const unit of visibleUnits(layout, side, part)) {
        const text = fitted(labels[unit], layout.label, measure);
        painter.text(layout.labels[side], layout.ys[side][unit] - part.top, text, {
          colour: special[unit] || unit >= until ? colours.muted : colours.text,
          size: layout.font,
          align: side === 0 ? "end" : "start",
        });
      }
    }
  });
}

/**
 * Units of a side, or of a range of it, whose rows are in the part.
 * @param {Layout} layout @param {Side} side @param {Part} part
 */
function* visibleUnits(layout, side, { top, height }, [from, to] = layout.ranges[side]) {
  if (to === from) return;
  const first = unitAt(layout, side, Math.max(top + HEADER, layout.ys[side][from]));
  for (let unit = Math.max(first, from); unit < to && layout.ys[side][unit] - layout.row / 2 < top + height; unit++) {
    yield unit;
  }
}

/**
 * A strip next to each sentence's tokens, with the sentence's letter at its visible top.
 * @param {Painter} painter @param {Scene} scene @param {Part} part @param {Side} side @param {number} bStart
 */
function drawSentences(painter, { layout, letters, colours }, { top }, side, bStart) {
  const { ys, ranges, row, strips, strip } = layout;
  const [from, to] = ranges[side];
  const sentences = [
    [from, Math.min(bStart, to)],
    [Math.max(bStart, from), to],
  ];
  for (const [sentence, [first, end]] of sentences.entries()) {
    if (end <= first) continue;
    const [start, stop] = [ys[side][first] - row / 2 + 2 - top, ys[side][end - 1] + row / 2 - 2 - top];
    const colour = colours.sentences[sentence];
    painter.rect(strips[side], start, strip, stop - start, { fill: colour, alpha: 0.16 });
    painter.rect(side === 0 ? strips[0] + strip - 3 : strips[1], start, 3, stop - start, { fill: colour });
    const y = Math.min(Math.max(start, HEADER) + row / 2 - 2, stop - 8);
    const x = strips[side] + (side === 0 ? strip - 3 : strip + 3) / 2;
    painter.text(x, y, letters[sentence], { colour: colours.text, size: 14, align: "center", weight: 700 });
  }
}

/**
 * A token's weights next to the tokens of the other side, as numbers and a bar for every head.
 * @param {Painter} painter @param {Scene} scene @param {Part} part @param {Token} token
 */
export function drawWeights(painter, scene, part, { side, unit }) {
  const { planes, layout, ranges, size, colours } = scene;
  if (!planes.length) return;
  const other = side === 0 ? 1 : 0;
  const values = planes.map((plane) => plane.values);
  const means = meanWeights(values, size, side, unit, ranges[other]);
  const tint = planes.length === 1 ? planes[0].colour : colours.primary;
  painter.clip(0, HEADER, layout.width, part.height - HEADER, () => {
    for (const counterpart of visibleUnits(layout, other, part, ranges[other])) {
      const y = layout.ys[other][counterpart] - part.top;
      drawNumber(painter, scene, other, y, means[counterpart - ranges[other][0]], tint);
      const cell = side === 0 ? unit * size + counterpart : counterpart * size + unit;
      if (layout.bar) drawBars(painter, scene, other, y, cell);
    }
  });
}

/**
 * A weight next to a token, and its tint behind the token.
 * @param {Painter} painter @param {Scene} scene @param {Side} side @param {number} y
 * @param {number} weight or another number, as a share of the largest one
 * @param {string} tint
 */
function drawNumber(painter, { layout, size, colours, quantity }, side, y, weight, tint) {
  const { row, gutters, labels, label } = layout;
  const x = side === 0 ? labels[0] - label - 4 : labels[1] - 4;
  painter.rect(x, y - row / 2 + 1, label + 8, row - 2, { fill: tint, alpha: 0.45 * Math.sqrt(weight) });
  const number = written(weight, size, quantity);
  const colour = number === "0" ? colours.muted : colours.text;
  const align = side === 0 ? "end" : "start";
  painter.text(gutters[side], y, number, { colour, align, size: 14, weight: weight >= 0.1 ? 600 : 400 });
}

/**
 * A bar for the weight of each head.
 * @param {Painter} painter @param {Scene} scene @param {Side} side @param {number} y @param {number} cell
 */
function drawBars(painter, { planes, layout }, side, y, cell) {
  const { row, gutters, bar } = layout;
  const start = side === 0 ? gutters[0] - NUMBER - bar * planes.length : gutters[1] + NUMBER;
  for (const [index, { colour, values }] of planes.entries()) {
    const height = Math.sqrt(weightOf(values[cell])) * (row - 6);
    if (height < 0.5) continue;
    painter.rect(start + index * bar, y + row / 2 - 3 - height, bar - 1 || 1, height, { fill: colour });
  }
}

/**
 * Frames around pinned and current tokens.
 * @param {Painter} painter @param {Scene} scene @param {Part} part @param {readonly Token[]} pinned
 * @param {Token | null} current
 */
export function drawFrames(painter, { layout, colours }, { top, height }, pinned, current) {
  /** @type {(token: Token, lineWidth: number) => void} */
  const frame = ({ side, unit }, lineWidth) => {
    const x = side === 0 ? layout.labels[0] - layout.label - 5 : layout.labels[1] - 5;
    const y = layout.ys[side][unit] - layout.row / 2 + 1 - top;
    const [width, down] = [layout.label + 10, layout.row - 2];
    painter.rect(x, y, width, down, { fill: colours.primary, alpha: 0.14 });
    painter.rect(x, y, width, down, { stroke: colours.primary, lineWidth });
  };
  painter.clip(0, HEADER, layout.width, height - HEADER, () => {
    for (const token of pinned) frame(token, 2.5);
    if (current) frame(current, 1.5);
  });
}

const AT_ONCE = 20_000; // lines of one stroke
const MOST_THICK = 200; // of a token's lines; lines wider than a screen pixel are ten times slower
const BEND = 0.42; // share of the width at which control points lie

/**
 * @typedef {LineStyle & { segments: Float32Array }} Stroke
 * @typedef {Generator<Stroke, void, void>} Strokes
 * @typedef {Omit<LineStyle, "colour">} BucketStyle
 */

/**
 * Width of thick lines in CSS pixels; many heads share the height of a row.
 * @param {number} bucket @param {number} heads
 */
function thickness(bucket, heads) {
  return 1 + (heads > FEW_HEADS ? 2.5 : 5) * rootOf(bucket) ** 2;
}

/** Strokes of all picked lines. @param {Scene} scene @param {Part} part @returns {Strokes} */
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
 * Strokes of all lines of one token.
 * @param {Scene} scene @param {Part} part @param {Token} token @returns {Strokes}
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
  return strokesOf(scene, part, sorted, styleOf, BUCKETS - 1); // lines of the last bucket are invisible
}

/**
 * The first bucket of thin lines, so that at most `most` lines are thick.
 * @param {ArrayLike<number>} starts @param {number} most
 */
export function thinFrom(starts, most) {
  let bucket = 0;
  while (bucket < BUCKETS && starts[bucket + 1] <= most) bucket++;
  return bucket;
}

/**
 * Strokes of the lines that cross the part, the strongest first, because the first frame shows only those.
 * @param {Scene} scene @param {Part} part
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
 * Render strokes until `most` lines are done.
 * @param {Painter} painter @param {Strokes} strokes @param {Scene} scene @param {Part} part @param {number} most
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

/** No strokes. @returns {Strokes} */
export function* noStrokes() {}

/** Renders strokes on one canvas over as many frames as needed. Newer strokes cancel older ones. */
export class StrokesInFrames {
  /** @type {Strokes | null} */
  #strokes = null;

  /** @param {number} most lines of a frame */
  constructor(most) {
    this.most = most;
  }

  /**
   * @param {Painter} painter @param {Strokes} strokes @param {Scene} scene @param {Part} part
   * @param {() => void} finished called after the last stroke
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

const REACH = 5; // pixels from the pointer to a line that it is on
const STEPS = 24; // of the bisection

/**
 * How far a line has come from the height of its query to that of its key, as a share, at a share of the way across.
 * @param {number} across @param {number} bend
 */
function riseAt(across, bend) {
  let [low, high] = [0, 1];
  for (let step = 0; step < STEPS; step++) {
    const t = (low + high) / 2;
    const reached = bend ? 3 * bend * t * (1 - t) ** 2 + 3 * (1 - bend) * t ** 2 * (1 - t) + t ** 3 : t;
    if (reached < across) low = t;
    else high = t;
  }
  return bend ? low ** 2 * (3 - 2 * low) : low;
}

/**
 * A line of a head.
 * @typedef {{ head: number, query: number, key: number }} LineOfHead
 */

/**
 * The nearest line to a point, of those of a focused token if there is one; null if none is near.
 * @param {Scene} scene @param {Part} part @param {{ x: number, y: number }} point in the part @param {Token | null} focus
 * @returns {LineOfHead | null}
 */
export function lineAt({ planes, layout, size, fine, ranges }, { top }, { x, y }, focus) {
  const [left, right] = layout.lines;
  if (x < left || x > right || y < HEADER) return null;
  const bend = fine ? 0 : BEND;
  const [before, rise] = [x - 1, x].map((at) => riseAt((at - left) / (right - left), bend));
  const shifts = spreadOf(planes.length, layout.row);
  const [queryYs, keyYs] = layout.ys;
  let [nearest, found] = [REACH, /** @type {LineOfHead | null} */ (null)];
  for (const [index, { head, picks }] of planes.entries()) {
    const cells = focus ? cellsOfToken(size, focus.side, focus.unit, ranges[1 - focus.side]) : picks.cells;
    for (const cell of cells) {
      const [query, key] = [Math.floor(cell / size), cell % size];
      const [y1, y2] = [queryYs[query] + shifts[index] - top, keyYs[key] + shifts[index] - top];
      const away = Math.abs(y1 + rise * (y2 - y1) - y) / Math.hypot(1, (rise - before) * (y2 - y1));
      if (away < nearest) [nearest, found] = [away, { head, query, key }];
    }
  }
  return found;
}

/** The box of a line and its tokens in the part. @param {Scene} scene @param {Part} part @param {LineOfHead} line */
export function boxOfLine({ layout: { labels, label, ys, row } }, { top }, { query, key }) {
  const heights = [ys[0][query], ys[1][key]];
  return {
    left: labels[0] - label,
    right: labels[1] + label,
    top: Math.min(...heights) - row / 2 - top,
    bottom: Math.max(...heights) + row / 2 - top,
  };
}

/**
 * Lines of a head that are marked, such as those that are cut.
 * @param {Painter} painter @param {Scene} scene @param {Part} part @param {readonly LineOfHead[]} marked
 * @param {Omit<LineStyle, "bend">} style
 */
export function drawMarked(painter, { planes, layout, fine }, part, marked, style) {
  const shifts = spreadOf(planes.length, layout.row);
  const [left, right] = layout.lines;
  const segments = marked.flatMap(({ head, query, key }) => {
    const shift = shifts[planes.findIndex((plane) => plane.head === head)] - part.top;
    return [left, layout.ys[0][query] + shift, right, layout.ys[1][key] + shift];
  });
  painter.clip(0, HEADER, layout.width, part.height - HEADER, () => {
    painter.lines(segments, { bend: fine ? 0 : BEND, ...style });
  });
}

/** Cut lines are dashed. @param {Painter} painter @param {Scene} scene @param {Part} part */
export function drawCuts(painter, scene, part) {
  drawMarked(painter, scene, part, scene.cuts?.lines ?? [], { colour: scene.colours.text, width: 1.5, dash: [5, 4] });
}

const LINE = 3; // pixels of width

/** @param {Painter} painter @param {Scene} scene @param {Part} part @param {readonly Point[]} points */
export function drawPoints(painter, scene, part, points) {
  const { layout, positions, colours } = scene;
  /** @type {(side: Side, tokens: readonly number[]) => number[]} */
  const unitsAt = (side, tokens) => unitsOf(tokens, positions).filter((unit) => isIn(scene.ranges[side], unit));
  painter.clip(0, HEADER, layout.width, part.height - HEADER, () => {
    for (const point of points) {
      if (point.kind === "head") continue;
      const queries = unitsAt(0, point.kind === "cell" ? point.query : point.token);
      const keys = unitsAt(1, point.kind === "cell" ? point.key : point.token);
      if (point.kind === "cell") {
        const [left, right] = layout.lines;
        const ends = queries.flatMap((query) =>
          keys.flatMap((key) => [left, layout.ys[0][query] - part.top, right, layout.ys[1][key] - part.top]),
        );
        painter.lines(ends, { colour: colours.ring, width: LINE });
      }
      for (const unit of queries) ringToken(painter, scene, part, 0, unit);
      for (const unit of keys) ringToken(painter, scene, part, 1, unit);
    }
  });
}

/** @param {Painter} painter @param {Scene} scene @param {Part} part @param {Side} side @param {number} unit */
function ringToken(painter, { layout, colours }, part, side, unit) {
  const { labels, label, row, ys } = layout;
  const x = side === 0 ? labels[0] - label - 2 : labels[1] - 2;
  const box = { x, y: ys[side][unit] - row / 2 + 3 - part.top, width: label + 4, height: row - 6 };
  drawRing(painter, box, colours);
}

const MOST_SAVED = 250_000; // lines of a whole picture; few programs open larger files
const NOTE = 30; // height of the note about omitted lines

/**
 * The picture to save. With too many lines it is the part on the screen, and a note says so. A focused token has few
 * lines.
 * @param {Scene} scene @param {object} options
 * @param {number} options.layer
 * @param {readonly Point[]} [options.points] what a tour stop highlights
 * @param {Token | null} options.focus the focused token
 * @param {readonly Token[]} options.pinned
 * @param {Part} options.shown
 * @param {Measure} options.measure
 * @param {number} [options.most] lines of a whole picture
 * @returns {Picture}
 */
export function savedPicture(scene, { layer, points = [], focus, pinned, shown, measure, most = MOST_SAVED }) {
  const { layout, planes, colours, drawn, quantity } = scene;
  const isCut = !focus && drawn > most;
  const part = isCut ? shown : { top: 0, height: layout.height };
  /** @param {Painter} painter */
  const draw = (painter) => {
    const strokes = focus ? tokenStrokes(scene, part, focus) : pickedStrokes(scene, part);
    drawStrokes(painter, strokes, scene, part);
    drawCuts(painter, scene, part);
    if (focus) drawWeights(painter, scene, part, focus);
    drawFrames(painter, scene, part, pinned, null);
    drawTokens(painter, scene, part, measure);
    drawPoints(painter, scene, part, points);
    if (!isCut) return;
    /** @type {TextStyle} */
    const style = { colour: colours.muted, size: 14, align: "center" };
    painter.text(layout.width / 2, part.height + NOTE / 2, noteOf(scene, part), style);
  };
  const heads = planes.map(({ head }) => (head === MEAN ? "mean" : `H${head}`)).join("-") || "none";
  const what = isWeights(quantity) ? `attention-L${layer}-${heads}` : fileName(scene);
  const name = `${what}${isCut ? "-part" : ""}`;
  return { name, width: layout.width, height: part.height + (isCut ? NOTE : 0), colours, draw };
}

/** @param {Scene} scene @param {Part} part */
function noteOf({ layout, drawn, numbers }, part) {
  /** @param {Side} side */
  const range = (side) => {
    const units = [...visibleUnits(layout, side, part)];
    const [from, to] = layout.ranges[side];
    return `${numbers[units[0]]}–${numbers[units[units.length - 1]]} of ${to - from}`;
  };
  const lines = drawn.toLocaleString("en");
  return `Queries ${range(0)}, keys ${range(1)}: all ${lines} lines are too many for one picture.`;
}
