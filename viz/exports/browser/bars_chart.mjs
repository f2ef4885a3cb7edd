// @ts-check
// Numbers as bars: parts of a bar for each column, a bar to the right for each class, or a mark on a scale.
import { rounded } from "../../components/shared/numbers.mjs";
import { fitted } from "../../components/shared/text.mjs";
import {
  GAP,
  MARGIN,
  MOST_NAME,
  SIZE,
  SMALL,
  columnNamesOf,
  headOf,
  seriesColour,
  symbolCorners,
  tickTextsOf,
  ticksBetween,
  written,
} from "./chart_parts.mjs";
import { inkOn } from "./number_grids.mjs";
/** @import { Painter } from "../../components/shared/types.mjs" */
/** @import { ChartPicture, Setting } from "./chart_parts.mjs" */
/** @import { Chart } from "./slide_contents.mjs" */

const FULL = 0.88; // share of a column that its bar fills
const [LARGE, LOW, THICK] = [56, 24, 0.62]; // pixels down for a class, at most and at least; the share that its bar fills
const TICK = 52; // pixels from one number of the upward axis to the next
const MARK = 9; // pixels of a mark on a scale, from its middle to a corner

/**
 * @param {Chart} chart
 * @param {Setting} setting
 * @returns {ChartPicture}
 */
export function stackedBars(chart, setting) {
  const { grid, series } = chart;
  const { colours, theme, measure, width, height } = setting;
  const values = /** @type {number[][]} */ (grid.values);
  const [, high] = grid.range;
  const fills = series.map(({ colour }) => seriesColour(colour, setting));
  const head = headOf(
    chart,
    setting,
    fills.map((fill, row) => ({
      name: grid.rows[row],
      mark: (painter, x, y, wide) => painter.rect(x + wide / 4, y - SMALL / 2, wide / 2, SMALL, { fill }),
    })),
  );
  const ticks = ticksBetween(0, high, (height - head.bottom) / TICK);
  const tickTexts = tickTextsOf(ticks, chart);
  const left = MARGIN + Math.max(...tickTexts.map(measure)) + GAP;
  const step = (width - MARGIN - left) / grid.columns.length;
  const names = columnNamesOf(chart, setting, step);
  const top = head.bottom + GAP;
  const bottom = Math.max(height - names.height - MARGIN, top + 2 * TICK);
  /** @param {number} value */
  const tallOf = (value) => (value / high) * (bottom - top);
  const parts = grid.columns.flatMap((_, column) => {
    let end = bottom;
    return values.map((row, at) => {
      const tall = tallOf(row[column]);
      end -= tall;
      return { row: at, column, x: left + (column + (1 - FULL) / 2) * step, y: end, width: FULL * step, height: tall };
    });
  });
  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    ticks.forEach((tick, index) => {
      const y = bottom - tallOf(tick);
      painter.lines([left, y, width - MARGIN, y], { colour: colours.border });
      painter.text(left - GAP, y, tickTexts[index], { colour: theme.muted, align: "end", size: SMALL + 1 });
    });
    names.draw(painter, (column) => left + (column + 0.5) * step, bottom, (left + width - MARGIN) / 2);
    for (const { row, x, y, width: wide, height: tall } of parts) {
      painter.rect(x, y, wide, tall, { fill: fills[row], stroke: colours.background });
      const name = grid.rows[row];
      if (tall < SIZE + 4 || (measure(name) * SMALL) / SIZE > wide - 2) continue;
      painter.text(x + wide / 2, y + tall / 2, name, { colour: inkOn(fills[row]), align: "center", size: SMALL });
    }
  };
  /** @param {number} x @param {number} y */
  const titleAt = (x, y) => {
    const part = parts.find(
      (each) => x >= each.x && x < each.x + each.width && y >= each.y && y < each.y + each.height,
    );
    if (!part) return "";
    const { row, column } = part;
    return `${grid.columns[column]}, ${grid.rows[row]}: ${written(values[row][column], chart)}`;
  };
  return { name: "bars", width, height: bottom + names.height + MARGIN, colours, draw, titleAt };
}

/** The height of what `drawAxis` draws below its axis. @param {Chart} chart */
const axisHeight = ({ value }) => MARGIN + SIZE + GAP + (value ? SIZE + GAP : 0);

/**
 * @param {Chart} chart
 * @param {Setting} setting
 * @returns {ChartPicture}
 */
export function probabilityBars(chart, setting) {
  const { grid } = chart;
  const { colours, theme, measure, width } = setting;
  const [values] = /** @type {number[][]} */ (grid.values);
  const [low, high] = grid.range;
  const head = headOf(chart, setting, []);
  const labels = grid.columns.map((name) => fitted(name, MOST_NAME, measure));
  const left = MARGIN + Math.max(...labels.map(measure)) + GAP;
  const right = width - MARGIN - measure(written(high, chart)) - 2 * GAP;
  const room = (setting.height - head.bottom - axisHeight(chart)) / labels.length;
  const row = Math.min(Math.max(room, LOW), LARGE);
  const bottom = head.bottom + row * labels.length;
  /** @param {number} value */
  const xOf = (value) => left + ((value - low) / (high - low)) * (right - left);
  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    drawAxis(painter, chart, setting, { xOf, top: head.bottom, bottom });
    values.forEach((value, index) => {
      const y = head.bottom + (index + 0.5) * row;
      painter.text(left - GAP, y, labels[index], { colour: colours.text, align: "end" });
      painter.rect(left, y - (THICK * row) / 2, xOf(value) - left, THICK * row, { fill: colours.primary });
      painter.text(xOf(value) + GAP, y, written(value, chart), { colour: colours.text });
    });
    painter.lines([left, head.bottom, left, bottom], { colour: theme.muted });
  };
  /** @param {number} _x @param {number} y */
  const titleAt = (_x, y) => {
    const index = Math.floor((y - head.bottom) / row);
    return index in values ? `${grid.columns[index]}: ${written(values[index], chart)}` : "";
  };
  return { name: "probabilities", width, height: bottom + axisHeight(chart), colours, draw, titleAt };
}

/**
 * @param {Chart} chart
 * @param {Setting} setting
 * @returns {ChartPicture}
 */
export function scaleChart(chart, setting) {
  const { grid } = chart;
  const { colours, theme, measure, width } = setting;
  const [[value]] = /** @type {number[][]} */ (grid.values);
  const [low, high] = grid.range;
  const head = headOf(chart, setting, []);
  const inset = MARGIN + measure(written(high, chart));
  const bottom = head.bottom + SIZE + GAP + 2 * MARK;
  /** @param {number} number */
  const xOf = (number) => inset + ((number - low) / (high - low)) * (width - 2 * inset);
  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    drawAxis(painter, chart, setting, { xOf, top: bottom - GAP, bottom });
    painter.lines([xOf(low), bottom, xOf(high), bottom], { colour: theme.muted, width: 2 });
    const x = xOf(Math.min(Math.max(value, low), high));
    painter.polygon(symbolCorners("diamond", x, bottom, MARK), { fill: colours.primary });
    painter.text(x, bottom - MARK - SIZE / 2 - 2, written(value, chart), { colour: colours.text, align: "center" });
  };
  const titleAt = () => `${grid.rows[0]}: ${written(value, chart)}`;
  return { name: "score", width, height: bottom + axisHeight(chart), colours, draw, titleAt };
}

/**
 * Numbers along the lower end, with lines up from them.
 * @param {Painter} painter
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {{ xOf: (value: number) => number, top: number, bottom: number }} place
 */
function drawAxis(painter, { grid, value }, { colours, theme }, { xOf, top, bottom }) {
  const [low, high] = grid.range;
  for (const tick of ticksBetween(low, high, 4)) {
    const x = xOf(tick);
    painter.lines([x, top, x, bottom], { colour: colours.border });
    const y = bottom + GAP + SMALL / 2;
    painter.text(x, y, rounded(tick, 4), { colour: theme.muted, align: "center", size: SMALL + 1 });
  }
  const y = bottom + 2 * GAP + SIZE + SMALL / 2;
  if (value) painter.text((xOf(low) + xOf(high)) / 2, y, value, { colour: theme.muted, align: "center", size: SMALL });
}
