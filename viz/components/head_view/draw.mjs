// Draws a head view through a painter. A scene is { size, labels, special, bStart, letters, until, planes: [{ head,
// colour, values, picks }], title, layout, ranges, colours, fine, hair }: `ranges` are the units of both sides that
// lines may come from and go to, the layout's are all that have a row. A `window`, { top, height }, is the part of the
// picture to draw.
import { weightOf } from "../shared/blob.mjs";
import { fitted } from "../shared/page.mjs";
import { BUCKETS, FEW_HEADS, byStrength, cellsOfToken, meanWeights, opacityOf, rootOf } from "./lines.mjs";
import { HEADER, NUMBER, spreadOf, unitAt } from "./layout.mjs";

const AT_ONCE = 20_000; // lines in one stroke
const MOST_THICK = 200; // of a token's lines; wider than a pixel of the screen, lines are ten times slower
const BEND = 0.42;
const HALF_SEEN = 0.0005; // half of the last of three digits

/** Thickness of thick lines, in CSS pixels; many heads share the height of a row. */
function thickness(bucket, heads) {
  return 1 + (heads > FEW_HEADS ? 2.5 : 5) * rootOf(bucket) ** 2;
}

/** Strokes of all lines that are picked. */
export function strokes(scene, window) {
  const { planes, fine, hair } = scene;
  const styleOf = (bucket) => ({
    alpha: opacityOf(bucket, planes.length),
    width: fine ? hair : thickness(bucket, planes.length),
    bend: fine ? 0 : BEND,
  });
  return runsOf(
    scene,
    window,
    planes.map(({ picks }) => picks),
    styleOf,
    BUCKETS,
  );
}

/** Strokes of one token's lines to the other side, all of them. */
export function focusStrokes(scene, window, { side, unit }) {
  const { planes, ranges, size, fine, hair } = scene;
  const all = cellsOfToken(size, side, unit, ranges[1 - side]);
  const sorted = planes.map(({ values }) => byStrength(all, values));
  const counted = Array.from({ length: BUCKETS + 1 }, (_, at) =>
    sorted.reduce((sum, { starts }) => sum + starts[at], 0),
  );
  const thin = thinFrom(counted, MOST_THICK);
  const styleOf = (bucket) => ({
    alpha: rootOf(bucket),
    width: bucket < thin ? thickness(bucket, planes.length) : hair,
    bend: bucket < thin && !fine ? BEND : 0,
  });
  return runsOf(scene, window, sorted, styleOf, BUCKETS - 1); // the last bucket's lines cannot be seen
}

/**
 * Runs of lines with one colour and opacity, of those that cross the window: the strongest first, so that what is on
 * the screen early is what counts. `picked` are each plane's cells by strength.
 */
function* runsOf({ planes, layout, size }, { top, height }, picked, styleOf, buckets) {
  const [left, right] = layout.lines;
  const [from, to] = layout.ys;
  const shifts = spreadOf(planes.length, layout.row);
  const [low, high] = [top + HEADER, top + height];
  const most = Math.max(0, ...picked.map(({ cells }) => cells.length));
  const segments = new Float32Array(4 * Math.min(AT_ONCE, most));
  for (let bucket = 0; bucket < buckets; bucket++) {
    const style = styleOf(bucket);
    for (const [index, { cells, starts }] of picked.entries()) {
      const { colour } = planes[index];
      let filled = 0;
      for (let at = starts[bucket]; at < starts[bucket + 1]; at++) {
        const query = Math.floor(cells[at] / size);
        const y1 = from[query] + shifts[index];
        const y2 = to[cells[at] - query * size] + shifts[index];
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

/** Draw strokes until `most` lines are drawn; returns whether there are more. */
export function drawStrokes(painter, runs, scene, { height }, most = Infinity) {
  const { layout } = scene;
  let drawn = 0;
  let more = true;
  painter.clip(0, HEADER, layout.width, height - HEADER, () => {
    while (more && drawn < most) {
      const { done, value } = runs.next();
      more = !done;
      if (done) break;
      drawn += value.segments.length / 4;
      painter.lines(value.segments, value);
    }
  });
  return more;
}

/** From which bucket on lines are thin, so that at most `most` are thick. */
export function thinFrom(starts, most) {
  let bucket = 0;
  while (bucket < BUCKETS && starts[bucket + 1] <= most) bucket++;
  return bucket;
}

/** Tokens, what the sides are, and which sentence the tokens belong to. */
export function drawTokens(painter, scene, window, measure) {
  const { layout, labels, special, until, colours, bStart, title } = scene;
  const { top, height } = window;
  const middle = HEADER / 2 - 2;
  const quiet = { colour: colours.muted, size: 14 };
  painter.text(layout.labels[0], middle, "from (query)", { ...quiet, align: "end" });
  painter.text(layout.width / 2, middle, title, { colour: colours.text, size: 15, align: "center", weight: 600 });
  painter.text(layout.labels[1], middle, "to (key)", quiet);
  painter.clip(0, HEADER, layout.width, height - HEADER, () => {
    for (const side of [0, 1]) {
      if (bStart !== null) drawSentences(painter, scene, window, side);
      for (const unit of visibleUnits(layout, side, window)) {
        painter.text(layout.labels[side], layout.ys[side][unit] - top, fitted(labels[unit], layout.label, measure), {
          colour: special[unit] || unit >= until ? colours.muted : colours.text,
          size: layout.font,
          align: side === 0 ? "end" : "start",
        });
      }
    }
  });
}

/** Units of a side whose rows the window shows, or those of them that are in a range. */
export function* visibleUnits(layout, side, { top, height }, [from, to] = layout.ranges[side]) {
  if (to === from) return;
  const first = unitAt(layout, side, Math.max(top + HEADER, layout.ys[side][from]));
  for (let unit = Math.max(first, from); unit < to && layout.ys[side][unit] - layout.row / 2 < top + height; unit++) {
    yield unit;
  }
}

/** A strip beside the tokens of each sentence, with its letter where it begins or enters the window. */
function drawSentences(painter, { layout, bStart, letters, colours }, { top }, side) {
  const { ys, ranges, row, strips, strip } = layout;
  const [from, to] = ranges[side];
  const parts = [
    [from, Math.min(bStart, to)],
    [Math.max(bStart, from), to],
  ];
  parts.forEach(([first, end], sentence) => {
    if (end <= first) return;
    const [start, stop] = [ys[side][first] - row / 2 + 2 - top, ys[side][end - 1] + row / 2 - 2 - top];
    const colour = colours.sentences[sentence];
    painter.rect(strips[side], start, strip, stop - start, { fill: colour, alpha: 0.16 });
    painter.rect(side === 0 ? strips[0] + strip - 3 : strips[1], start, 3, stop - start, { fill: colour });
    const letter = Math.min(Math.max(start, HEADER) + row / 2 - 2, stop - 8);
    const x = strips[side] + (side === 0 ? strip - 3 : strip + 3) / 2;
    painter.text(x, letter, letters[sentence], { colour: colours.text, size: 14, align: "center", weight: 700 });
  });
}

/** Numbers of a long text need a digit more: 1/512 is an ordinary weight there. */
export function written(weight, units) {
  const digits = units > 64 ? 3 : 2;
  return weight < HALF_SEEN * (units > 64 ? 1 : 10) ? "0" : weight.toFixed(digits);
}

/** A token's weights beside the tokens of the other side, as numbers and a bar for every head. */
export function drawWeights(painter, scene, window, { side, unit }) {
  const below = window.height - HEADER;
  painter.clip(0, HEADER, scene.layout.width, below, () => drawNumbersAndBars(painter, scene, window, side, unit));
}

function drawNumbersAndBars(painter, scene, window, side, unit) {
  const { planes, layout, ranges, size, colours } = scene;
  if (!planes.length) return;
  const { row, gutters, labels, label, ys, bar } = layout;
  const there = 1 - side;
  const [from] = ranges[there];
  const means = meanWeights(
    planes.map(({ values }) => values),
    size,
    side,
    unit,
    ranges[there],
  );
  const tint = planes.length === 1 ? planes[0].colour : colours.primary;
  const inwards = there === 0 ? -1 : 1;
  for (const at of visibleUnits(layout, there, window, ranges[there])) {
    const [y, weight] = [ys[there][at] - window.top, means[at - from]];
    const x = there === 0 ? labels[0] - label - 4 : labels[1] - 4;
    painter.rect(x, y - row / 2 + 1, label + 8, row - 2, { fill: tint, alpha: 0.45 * Math.sqrt(weight) });
    const number = written(weight, size);
    const colour = number === "0" ? colours.muted : colours.text;
    const align = there === 0 ? "end" : "start";
    painter.text(gutters[there], y, number, { colour, align, size: 14, weight: weight >= 0.1 ? 600 : 400 });
    if (!bar) continue;
    const start = gutters[there] + inwards * NUMBER + (there === 0 ? -bar * planes.length : 0);
    planes.forEach(({ colour: fill, values }, index) => {
      const cell = side === 0 ? unit * size + at : at * size + unit;
      const tall = Math.sqrt(weightOf(values[cell])) * (row - 6);
      if (tall >= 0.5) painter.rect(start + index * bar, y + row / 2 - 3 - tall, bar - 1 || 1, tall, { fill });
    });
  }
}

/** Frames around tokens that are pinned or current. */
export function drawFrames(painter, { layout, colours }, { top, height }, pinned, current) {
  const frame = ({ side, unit }, lineWidth, fill) => {
    const x = side === 0 ? layout.labels[0] - layout.label - 5 : layout.labels[1] - 5;
    const y = layout.ys[side][unit] - layout.row / 2 + 1 - top;
    const size = [layout.label + 10, layout.row - 2];
    if (fill) painter.rect(x, y, ...size, { fill: colours.primary, alpha: 0.14 });
    painter.rect(x, y, ...size, { stroke: colours.primary, lineWidth });
  };
  painter.clip(0, HEADER, layout.width, height - HEADER, () => {
    pinned.forEach((token) => frame(token, 2.5, true));
    if (current) frame(current, 1.5, true);
  });
}
