// @ts-check
// The axes of curves and points: columns side by side or at their places among numbers, and numbers upwards.
import { rounded } from "../../components/shared/numbers.mjs";
import { GAP, MARGIN, SIZE, SMALL, columnNamesOf, tickTextsOf, ticksBetween, withPrefix } from "./chart_parts.mjs";
/** @import { Painter } from "../../components/shared/types.mjs" */
/** @import { Setting } from "./chart_parts.mjs" */
/** @import { Chart } from "./slide_contents.mjs" */

const [TICK, TICK_ACROSS] = [52, 70]; // pixels from one number of the upward axis, and of the other, to the next

/**
 * @typedef {object} Axes
 * @property {number} left
 * @property {number} right
 * @property {number} top
 * @property {number} bottom
 * @property {number} height of the picture
 * @property {(column: number) => number} xOf of a column
 * @property {(place: number) => number} xAt of a column's number, or of a place on the axis of numbers
 * @property {(value: number) => number} yOf
 * @property {(x: number, y: number) => number} columnAt that is nearest; -1 beyond the axes
 * @property {(painter: Painter) => void} draw
 */

/**
 * The axes below a chart's head.
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {number} headBottom
 * @returns {Axes}
 */
export function axesOf(chart, setting, headBottom) {
  const { colours, theme, measure, width, height } = setting;
  const ticks = ticksUpward(chart, (height - headBottom) / TICK);
  const tickTexts = chart.logarithmic ? ticks.map(withPrefix) : tickTextsOf(ticks, chart);
  const left = MARGIN + (chart.value ? SIZE + GAP : 0) + Math.max(...tickTexts.map(measure)) + GAP;
  const right = width - MARGIN - GAP;
  const across = chart.places
    ? numbersAcross(chart, chart.places, setting, { left, right })
    : columnsAcross(chart, setting, { left, right });
  const top = headBottom + GAP;
  const bottom = Math.max(height - across.height - MARGIN, top + 2 * TICK);
  const [low, high] = chart.grid.range.map((end) => scaled(end, chart));
  /** @param {number} value */
  const yOf = (value) => bottom - ((scaled(value, chart) - low) / (high - low)) * (bottom - top);
  /** @param {Painter} painter */
  const draw = (painter) => {
    ticks.forEach((tick, index) => {
      painter.lines([left, yOf(tick), right, yOf(tick)], { colour: colours.border });
      painter.text(left - GAP, yOf(tick), tickTexts[index], { colour: theme.muted, align: "end", size: SMALL + 1 });
    });
    across.draw(painter, bottom);
    painter.turned(MARGIN + SIZE / 2, (top + bottom) / 2, -90, () => {
      painter.text(0, 0, chart.value, { colour: theme.muted, align: "center", size: SMALL + 1 });
    });
  };
  /** @param {number} x @param {number} y */
  const columnAt = (x, y) => (y >= top && y <= bottom && x >= left && x <= right ? across.columnAt(x) : -1);
  const { xOf, xAt } = across;
  return { left, right, top, bottom, height: bottom + across.height + MARGIN, xOf, xAt, yOf, columnAt, draw };
}

/** @param {number} value @param {Pick<Chart, "logarithmic">} chart */
function scaled(value, { logarithmic }) {
  return logarithmic ? Math.log10(value) : value;
}

/** @param {Chart} chart @param {number} most */
function ticksUpward({ grid, logarithmic }, most) {
  const [low, high] = grid.range;
  return logarithmic ? powersBetween(low, high, most) : ticksBetween(low, high, most);
}

/**
 * Powers of ten within a range, of which not all are taken where there is no room.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
export function powersBetween(low, high, most) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(most, 1)));
  const count = Math.floor((last - first) / every) + 1;
  return Array.from({ length: count }, (_, index) => 10 ** (first + index * every));
}

/** @typedef {{ left: number, right: number }} Ends */

/** @param {Chart} chart @param {Setting} setting @param {Ends} ends */
function columnsAcross(chart, setting, { left, right }) {
  const { columns } = chart.grid;
  const step = (right - left) / columns.length;
  const names = columnNamesOf(chart, setting, step);
  /** @param {number} column */
  const xOf = (column) => left + (column + 0.5) * step;
  /** @param {Painter} painter @param {number} bottom */
  const draw = (painter, bottom) => names.draw(painter, xOf, bottom, (left + right) / 2);
  /** @param {number} x */
  const columnAt = (x) => Math.min(Math.floor((x - left) / step), columns.length - 1);
  return { xOf, xAt: xOf, columnAt, height: names.height, draw };
}

/** @param {Chart} chart @param {readonly number[]} places @param {Setting} setting @param {Ends} ends */
function numbersAcross(chart, places, { theme }, { left, right }) {
  const [low, high] = [places[0], places[places.length - 1]].map((place) => scaled(place, chart));
  /** @param {number} place */
  const xAt = (place) => left + ((scaled(place, chart) - low) / (high - low)) * (right - left);
  /** @param {number} column */
  const xOf = (column) => xAt(places[column]);
  const most = (right - left) / TICK_ACROSS;
  const ends = /** @type {const} */ ([places[0], places[places.length - 1]]);
  const ticks = chart.logarithmic ? powersBetween(...ends, most) : ticksBetween(...ends, most);
  const height = GAP + 2 * (SIZE + GAP);
  /** @param {Painter} painter @param {number} bottom */
  const draw = (painter, bottom) => {
    const look = { colour: theme.muted, align: /** @type {const} */ ("center"), size: SMALL + 1 };
    for (const tick of ticks) {
      const text = chart.logarithmic ? withPrefix(tick) : rounded(tick, 4);
      painter.text(xAt(tick), bottom + GAP + SIZE / 2, text, look);
    }
    painter.text((left + right) / 2, bottom + 2 * GAP + 1.5 * SIZE, chart.across, look);
  };
  /** @param {number} x */
  const columnAt = (x) => {
    /** @param {number} column */
    const distance = (column) => Math.abs(xOf(column) - x);
    return places.map((_, column) => column).reduce((best, at) => (distance(at) < distance(best) ? at : best), 0);
  };
  return { xOf, xAt, columnAt, height, draw };
}
