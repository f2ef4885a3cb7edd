// Layout of the head view, in CSS pixels of the whole picture; the scroller may show a part of it.
import { clamped, lengthOf } from "../shared/ranges.mjs";
/** @import { Range } from "../shared/types.mjs" */
/** @import { Ranges, Side } from "./lines.mjs" */

export const HEADER = 32; // the line with "from" and "to"
export const NUMBER = 46; // room for a weight, written out
const HIGHEST_ROW = 38;
const [SMALLEST_FONT, LARGEST_FONT] = [14, 17]; // of rows that are high enough
const [SMALLEST_LABEL, LARGEST_LABEL] = [40, 240];
const STRIP = 18; // names the sentence of its tokens
const [WIDEST_BAR, WIDEST_BARS] = [10, 72]; // of one head beside a token, and of all heads
const NARROWEST = 80; // room for the lines

const ABOVE = { short: 340, long: 400 }; // pixels of the page above and below the picture; a long text has more notes

/**
 * The spacing of rows: smallest height, step of heights, gap between sentences A and B, and room under the last row. An
 * audience cannot scroll, so rows on stage are as dense as is readable.
 * @typedef {{ lowest: number, step: number, gap: number, foot: number }} Spacing
 */

/** @type {Spacing} */
const ON_PAGE = { lowest: 24, step: 1, gap: 14, foot: 6 };
/** @type {Spacing} */
const ON_STAGE = { lowest: 10, step: 0.25, gap: 4, foot: 2 };
const LEAST_ON_STAGE = 134; // pixels of the whole picture

/**
 * One token of one side.
 * @typedef {{ side: Side, unit: number }} Token
 */

/**
 * The part of the picture that is on the screen.
 * @typedef {{ top: number, height: number }} Part
 */

/**
 * Positions; pairs have a value for each side.
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height of the whole picture
 * @property {number} shown height of the part that is on the screen at once
 * @property {number} row height of a row
 * @property {number} font size of its text
 * @property {number} label width of a label
 * @property {number} bar width of one head's bar; 0 without bars
 * @property {number} strip width of the sentence strip; 0 without a second sentence
 * @property {Ranges} ranges of the units that have a row
 * @property {readonly [Float32Array, Float32Array]} ys the middle of each unit's row
 * @property {readonly [number, number]} labels where labels end on the left and begin on the right
 * @property {readonly [number, number]} strips where strips begin
 * @property {readonly [number, number]} lines where lines begin and end
 * @property {readonly [number, number]} gutters where weights are written
 */

/**
 * The height available to a picture of `rows` rows, so that all of it is on the screen.
 * @param {number} windowHeight @param {number} rows
 */
function roomIn(windowHeight, rows) {
  const [room, less] = [ABOVE.short, ABOVE.long].map((above) => clamped(windowHeight - above, 360, 900));
  return rows * ON_PAGE.lowest > room ? less : room;
}

/**
 * That height and the spacing of rows; on stage the height is given.
 * @param {number} windowHeight @param {number} rows @param {number | null} stageRoom
 */
export function roomsIn(windowHeight, rows, stageRoom) {
  if (stageRoom === null) return { room: roomIn(windowHeight, rows), spacing: ON_PAGE };
  return { room: Math.max(stageRoom, LEAST_ON_STAGE), spacing: ON_STAGE };
}

/**
 * Height of a row and size of its text. Text shrinks to the row's height if rows are lower than the smallest font.
 * @param {number} rows @param {number} room @param {Spacing} [spacing]
 */
export function rowsIn(rows, room, { lowest, step, gap, foot } = ON_PAGE) {
  const steps = Math.floor((room - HEADER - foot - gap) / Math.max(rows, 1) / step);
  const row = clamped(step * steps, lowest, HIGHEST_ROW);
  return { row, font: Math.min(clamped(Math.round(row / 2), SMALLEST_FONT, LARGEST_FONT), Math.floor(row)) };
}

/**
 * The whole picture.
 * @param {object} options
 * @param {number} options.width
 * @param {number} options.room height that the picture may have on the screen
 * @param {Spacing} [options.spacing]
 * @param {Ranges} options.ranges
 * @param {number} [options.longest] rows of the longest text whose picture has rows of the same height
 * @param {number | null} options.bStart
 * @param {number} options.heads how many are rendered
 * @param {(font: number) => number} options.widest width of the widest label of a font size
 * @returns {Layout}
 */
export function layoutOf({ width, room, spacing = ON_PAGE, ranges, longest = 0, bStart, heads, widest }) {
  const rows = Math.max(...ranges.map(lengthOf));
  const { row, font } = rowsIn(Math.max(rows, longest), room, spacing);
  const strip = bStart === null ? 0 : STRIP;
  const bar = heads > 1 ? barWidth(width, heads) : 0;
  const gutter = NUMBER + (bar ? bar * heads + 8 : 0);
  const most = clamped((width - NARROWEST) / 2 - gutter - strip - 24, SMALLEST_LABEL, LARGEST_LABEL);
  const label = Math.ceil(clamped(widest(font), SMALLEST_LABEL, most));
  const inner = gutter + 8 + label + 8;
  const gap = ranges.some((range) => isSplit(range, bStart)) ? spacing.gap : 0;
  const height = HEADER + rows * row + gap + spacing.foot;
  return {
    ...{ width, height, row, font, label, bar, strip, ranges },
    shown: Math.min(height, room),
    ys: [rowMiddles(ranges[0], bStart, row, gap), rowMiddles(ranges[1], bStart, row, gap)],
    labels: [gutter + 8 + label, width - gutter - 8 - label],
    strips: [inner, width - inner - strip],
    lines: [inner + strip + 4, width - inner - strip - 4],
    gutters: [gutter, width - gutter],
  };
}

/** @param {number} width @param {number} heads */
function barWidth(width, heads) {
  const widest = Math.min(WIDEST_BAR, Math.floor(width / 90));
  return clamped(Math.floor(Math.min(width * 0.09, WIDEST_BARS) / heads), 1, widest);
}

/** Whether a range has units of both sentences. @param {Range} range @param {number | null} bStart */
function isSplit([from, to], bStart) {
  return bStart !== null && from < bStart && bStart < to;
}

/**
 * The middle of each unit's row; sentence B is lower by a gap.
 * @param {Range} range @param {number | null} bStart @param {number} row @param {number} gap
 */
function rowMiddles([from, to], bStart, row, gap) {
  const ys = new Float32Array(to);
  const below = isSplit([from, to], bStart) ? bStart : null;
  for (let unit = from; unit < to; unit++) {
    ys[unit] = HEADER + (unit - from + 0.5) * row + (below !== null && unit >= below ? gap : 0);
  }
  return ys;
}

/**
 * Vertical offsets of each head's lines at a token, so that they do not overlap.
 * @param {number} count @param {number} row
 */
export function spreadOf(count, row) {
  const step = Math.min(4, (row - 10) / Math.max(count, 1));
  return Array.from({ length: count }, (_, index) => (index - (count - 1) / 2) * step);
}

/** The unit of a side at a height of the picture, or -1. @param {Layout} layout @param {Side} side @param {number} y */
export function unitAt({ row, ranges, ys }, side, y) {
  const [from, to] = ranges[side];
  let unit = clamped(from + Math.floor((y - HEADER) / row), from, to - 1);
  if (ys[side][unit] - row / 2 > y) unit -= 1; // the gap between the sentences moves B down
  return unit >= from && Math.abs(y - ys[side][unit]) <= row / 2 ? unit : -1;
}

/**
 * The token under a point of the picture, or null between the sides.
 * @param {Layout} layout @param {number} x @param {number} y @returns {Token | null}
 */
export function tokenAt(layout, x, y) {
  const isLeft = x <= layout.lines[0] + 4;
  if (!isLeft && x < layout.lines[1] - 4) return null;
  const side = isLeft ? 0 : 1;
  const unit = unitAt(layout, side, y);
  return unit < 0 ? null : { side, unit };
}

/**
 * The scroll position that shows a token, moved as little as possible.
 * @param {Layout} layout @param {Token} token @param {Part} part
 */
export function scrolledTo({ ys, row }, { side, unit }, { top, height }) {
  const y = ys[side][unit];
  if (y - row / 2 < top + HEADER) return Math.max(0, y - row / 2 - HEADER);
  return y + row / 2 > top + height ? y + row / 2 - height + ON_PAGE.foot : top;
}
