// Where things stand in a head view, in CSS pixels of the whole picture, of which a window may show a part.

export const HEADER = 32; // the line that says "from" and "to"
const [LOWEST_ROW, HIGHEST_ROW] = [24, 38];
const [SMALLEST_FONT, LARGEST_FONT] = [14, 17];
const GAP = 14; // between sentences A and B
const FOOT = 6;
const STRIP = 18; // names the sentence of its tokens
export const NUMBER = 46; // room for a weight, written out
const [WIDEST_BAR, WIDEST_BARS] = [10, 72]; // of one head beside a token, and of all
const NARROWEST = 80; // room for the lines

const ABOVE = { short: 340, long: 400 }; // pixels of the page over and under the picture; more is said of a long text

const clamped = (value, low, high) => Math.min(Math.max(value, low), high);

/** Height that a picture of so many rows may take in a window of so many pixels: all of it is on the screen. */
export function roomIn(windowHeight, rows) {
  const [room, less] = [ABOVE.short, ABOVE.long].map((above) => clamped(windowHeight - above, 360, 900));
  return rows * LOWEST_ROW > room ? less : room;
}

/** Height of a row and size of its text, for so many rows in so much room. */
export function rowsIn(rows, room) {
  const row = clamped(Math.floor((room - HEADER - FOOT - GAP) / Math.max(rows, 1)), LOWEST_ROW, HIGHEST_ROW);
  return { row, font: clamped(Math.round(row / 2), SMALLEST_FONT, LARGEST_FONT) };
}

/**
 * The whole picture. `ranges` are the units of both sides; `widest` gives the widest label of a font size; `heads` is
 * how many heads are drawn, 0 or 1 for one set of lines.
 */
export function layoutOf({ width, room, ranges, bStart, heads, widest }) {
  const counts = ranges.map(([from, to]) => to - from);
  const { row, font } = rowsIn(Math.max(...counts), room);
  const split = ranges.map(([from, to]) => bStart !== null && from < bStart && bStart < to);
  const strip = bStart === null ? 0 : STRIP;
  const widestBar = Math.min(WIDEST_BAR, Math.floor(width / 90));
  const bar = heads > 1 ? clamped(Math.floor(Math.min(width * 0.09, WIDEST_BARS) / heads), 1, widestBar) : 0;
  const gutter = NUMBER + (bar ? bar * heads + 8 : 0);
  const most = (width - NARROWEST) / 2 - gutter - strip - 24;
  const label = Math.ceil(clamped(widest(font), 40, Math.max(40, Math.min(240, most))));
  const inner = gutter + 8 + label + 8;
  const tops = ranges.map(([from, to], side) => {
    const ys = new Float32Array(to);
    for (let unit = from; unit < to; unit++) {
      ys[unit] = HEADER + (unit - from + 0.5) * row + (split[side] && unit >= bStart ? GAP : 0);
    }
    return ys;
  });
  const gap = split.includes(true) ? GAP : 0;
  const height = HEADER + Math.max(...counts) * row + gap + FOOT;
  return {
    width,
    height,
    shown: Math.min(height, room),
    row,
    font,
    label,
    bar,
    strip,
    ranges,
    ys: tops, // the middle of each unit's row, on the left and on the right
    split,
    labels: [gutter + 8 + label, width - gutter - 8 - label], // where labels end on the left and begin on the right
    strips: [inner, width - inner - strip],
    lines: [inner + strip + 4, width - inner - strip - 4],
    gutters: [gutter, width - gutter],
  };
}

/** Where the lines of each of `count` heads leave a token's middle, so that they do not cover each other. */
export function spreadOf(count, row) {
  const step = Math.min(4, (row - 10) / Math.max(count, 1));
  return Array.from({ length: count }, (_, index) => (index - (count - 1) / 2) * step);
}

/** The unit of a side at a height of the picture, or -1. */
export function unitAt({ row, ranges, ys }, side, y) {
  const [from, to] = ranges[side];
  let unit = clamped(from + Math.floor((y - HEADER) / row), from, to - 1);
  if (ys[side][unit] - row / 2 > y) unit -= 1; // the gap between the sentences moves B down
  return unit >= from && Math.abs(y - ys[side][unit]) <= row / 2 ? unit : -1;
}

/** The token under a point of the picture, { side, unit }, or null between the sides. */
export function tokenAt(layout, x, y) {
  const side = x <= layout.lines[0] + 4 ? 0 : x >= layout.lines[1] - 4 ? 1 : -1;
  const unit = side < 0 ? -1 : unitAt(layout, side, y);
  return unit < 0 ? null : { side, unit };
}

/** How far to scroll so that a unit is in the window, [top, top + height): its new top. */
export function scrolledTo({ ys, row }, { side, unit }, top, height) {
  const y = ys[side][unit];
  if (y - row / 2 < top + HEADER) return Math.max(0, y - row / 2 - HEADER);
  return y + row / 2 > top + height ? y + row / 2 - height + FOOT : top;
}
