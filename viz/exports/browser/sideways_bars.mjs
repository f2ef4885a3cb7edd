// @ts-check
// Bars to either side of the names between them, one for each of two rows.
import { drawRing } from "../../components/shared/points.mjs";
import { fitted } from "../../components/shared/text.mjs";
import { GAP, MARGIN, MOST_NAME, SIZE, SMALL, headOf, seriesColour } from "./chart_parts.mjs";
/** @import { Painter } from "../../components/shared/types.mjs" */
/** @import { ChartPicture, Setting } from "./chart_parts.mjs" */
/** @import { Box, Chart } from "./slide_contents.mjs" */

const [LARGE, LOW, THICK] = [44, 17, 0.68]; // pixels down for a bar, at most and at least; the share that it fills
const SHOWN = 0.005; // from which on a bar of a profile has its number

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
  const { row, bottom } = rowsOf(chart, setting, top);
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
        const align = /** @type {"start" | "end"} */ (side ? "start" : "end");
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
 */
function rowsOf({ grid: { columns } }, { height }, top) {
  const row = Math.min(Math.max((height - top - MARGIN) / columns.length, LOW), LARGE);
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
