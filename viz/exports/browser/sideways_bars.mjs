// @ts-check
// Bars to either side: of signed numbers from 0, and of two rows from the names between them.
import { rounded, signed } from "../../components/shared/numbers.mjs";
import { drawRing } from "../../components/shared/points.mjs";
import { fitted } from "../../components/shared/text.mjs";
import { GAP, MARGIN, MOST_NAME, SIZE, SMALL, headOf, seriesColour, ticksBetween } from "./chart_parts.mjs";
/** @import { Painter } from "../../components/shared/types.mjs" */
/** @import { ChartPicture, Setting } from "./chart_parts.mjs" */
/** @import { Box, Chart } from "./slide_contents.mjs" */

const [LARGE, LOW, THICK] = [44, 17, 0.68]; // pixels down for a bar, at most and at least; the share that it fills
const SHOWN = 0.005; // from which on a bar of a profile has its number
const TICK = 64; // pixels from one number below bars to the next

/**
 * @param {Chart} chart
 * @param {Setting} setting
 * @returns {ChartPicture}
 */
export function signedBars(chart, setting) {
  const { grid } = chart;
  const { colours, theme, measure, width } = setting;
  const [values] = /** @type {number[][]} */ (grid.values);
  const [low, high] = grid.range;
  const head = headOf(chart, setting, []);
  const names = grid.columns.map((name) => fitted(name, Math.min(MOST_NAME, 0.42 * width), measure));
  const texts = values.map((value) => signed(value, grid.digits));
  const beside = Math.max(...texts.map(measure)) + GAP;
  const left = MARGIN + Math.max(...names.map(measure)) + GAP + (low < 0 ? beside : 0);
  const right = width - MARGIN - beside;
  const below = SIZE + GAP + (chart.value ? SIZE + GAP : 0);
  const { row, bottom } = rowsOf(chart, setting, head.bottom, below);
  /** @param {number} value */
  const xOf = (value) => left + ((value - low) / (high - low || 1)) * (right - left);
  /** @param {number} index */
  const yOf = (index) => head.bottom + (index + 0.5) * row;
  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    for (const tick of ticksBetween(low, high, (right - left) / TICK)) {
      painter.lines([xOf(tick), head.bottom, xOf(tick), bottom], { colour: colours.border });
      const text = rounded(tick, 4);
      const look = { colour: theme.muted, align: /** @type {const} */ ("center"), size: SMALL };
      painter.text(xOf(tick), bottom + GAP + SMALL / 2, text, look);
    }
    const look = { colour: theme.muted, align: /** @type {const} */ ("center"), size: SMALL };
    if (chart.value) painter.text((left + right) / 2, bottom + 2 * GAP + SIZE + SMALL / 2, chart.value, look);
    values.forEach((value, index) => {
      const fill = seriesColour(value < 0 ? "B" : "A", setting);
      const [from, to] = [Math.min(xOf(0), xOf(value)), Math.max(xOf(0), xOf(value))];
      painter.rect(from, yOf(index) - (THICK * row) / 2, to - from, THICK * row, { fill });
      painter.text(left - GAP - (low < 0 ? beside : 0), yOf(index), names[index], {
        colour: colours.text,
        align: "end",
      });
      const align = alignOf(value >= 0);
      painter.text(value < 0 ? from - GAP : to + GAP, yOf(index), texts[index], { colour: colours.text, align });
    });
    painter.lines([xOf(0), head.bottom, xOf(0), bottom], { colour: theme.muted });
    drawRings(painter, chart, setting, ([, column, , wide]) => ({
      ...{ x: MARGIN, y: head.bottom + column * row, width: width - 2 * MARGIN, height: wide * row },
    }));
  };
  /** @param {number} _x @param {number} y */
  const titleAt = (_x, y) => {
    const index = Math.floor((y - head.bottom) / row);
    return index in values ? `${grid.columns[index]}: ${texts[index]} ${chart.value}`.trimEnd() : "";
  };
  return { name: "values", width, height: bottom + below + MARGIN, colours, draw, titleAt };
}

/** How a text beside a bar is aligned. @param {boolean} isRight @returns {"start" | "end"} */
function alignOf(isRight) {
  return isRight ? "start" : "end";
}

/**
 * @param {Chart} chart
 * @param {Setting} setting
 * @returns {ChartPicture}
 */
export function profileBars(chart, setting) {
  const { grid, series, frames } = chart;
  const { colours, theme, measure, width } = setting;
  const values = /** @type {number[][]} */ (grid.values);
  const [, high] = grid.range;
  const head = headOf(chart, setting, []);
  const top = head.bottom + SIZE + GAP;
  const names = grid.columns.map((name) => fitted(name, Math.min(MOST_NAME, width / 3), measure));
  const half = Math.max(...names.map(measure)) / 2 + GAP;
  const most = width / 2 - half - MARGIN - measure("0.00") - GAP; // pixels of the longest bar
  const { row, bottom } = rowsOf(chart, setting, top, 0);
  const middle = width / 2;
  const fill = seriesColour(series[0].colour, setting);
  /** @param {number} side @param {number} pixels from the names */
  const xFrom = (side, pixels) => middle + (side ? half + pixels : -half - pixels);
  /** @param {Box} box */
  const ringOf = ([side, column, sides, wide]) => {
    const [from, to] =
      sides === 2 ? [MARGIN, width - MARGIN] : side ? [middle - half, width - MARGIN] : [MARGIN, middle + half];
    return { x: from, y: top + column * row, width: to - from, height: wide * row };
  };
  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    const look = { colour: theme.muted, align: /** @type {const} */ ("center") };
    painter.text(xFrom(0, most / 2), head.bottom + SIZE / 2, `← ${grid.rows[0]}`, look);
    painter.text(xFrom(1, most / 2), head.bottom + SIZE / 2, `${grid.rows[1]} →`, look);
    names.forEach((name, index) => {
      const y = top + (index + 0.5) * row;
      const isWord = frames.some(([, column]) => column === index);
      const place = { align: /** @type {const} */ ("center"), weight: isWord ? 600 : 400 };
      painter.text(middle, y, name, { ...place, colour: isWord ? colours.text : theme.muted });
      for (const side of [0, 1]) {
        const value = values[side][index];
        const long = (value / high) * most;
        painter.rect(Math.min(xFrom(side, 0), xFrom(side, long)), y - (THICK * row) / 2, long, THICK * row, { fill });
        if (value < SHOWN) continue;
        const align = alignOf(side === 1);
        painter.text(xFrom(side, long + GAP / 2), y, value.toFixed(2), { colour: colours.text, align, size: SMALL });
      }
    });
    drawRings(painter, chart, setting, ringOf);
  };
  /** @param {number} x @param {number} y */
  const titleAt = (x, y) => {
    const index = Math.floor((y - top) / row);
    if (!(index in grid.columns)) return "";
    const side = x < middle ? 0 : 1;
    return `${grid.columns[index]}, ${grid.rows[side]}: ${values[side][index].toFixed(grid.digits)}`;
  };
  return { name: "profile", width, height: bottom + MARGIN, colours, draw, titleAt };
}

/**
 * How high the row of a bar is, and where the last one ends.
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {number} top
 * @param {number} below pixels that stand under the bars
 */
function rowsOf({ grid: { columns } }, { height }, top, below) {
  const row = Math.min(Math.max((height - top - below - MARGIN) / columns.length, LOW), LARGE);
  return { row, bottom: top + row * columns.length };
}

/**
 * @param {Painter} painter
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {(box: Box) => { x: number, y: number, width: number, height: number }} boxOf
 */
function drawRings(painter, { rings }, { colours, ringed }, boxOf) {
  if (ringed) for (const box of rings) drawRing(painter, boxOf(box), colours);
}
