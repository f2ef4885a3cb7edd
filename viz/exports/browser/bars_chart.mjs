// @ts-check
// Numbers as bars: parts of a bar for each column.
import {
  GAP,
  MARGIN,
  SIZE,
  SMALL,
  columnNamesOf,
  headOf,
  seriesColour,
  tickTextsOf,
  ticksBetween,
  written,
} from "./chart_parts.mjs";
import { inkOn } from "./grid_colours.mjs";
/** @import { Painter } from "../../components/shared/types.mjs" */
/** @import { ChartPicture, Setting } from "./chart_parts.mjs" */
/** @import { Chart } from "./slide_contents.mjs" */

const FULL = 0.88; // share of a column that its bar fills
const TICK = 52; // pixels from one number of the upward axis to the next

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
