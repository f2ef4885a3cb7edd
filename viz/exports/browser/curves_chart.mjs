// @ts-check
// Rows of numbers as curves over their columns.
import { GAP, SIZE, SMALL, dashOf, headOf, seriesColour, symbolCorners, written } from "./chart_parts.mjs";
import { axesOf } from "./curve_axes.mjs";
/** @import { Painter } from "../../components/shared/types.mjs" */
/** @import { ChartPicture, Setting } from "./chart_parts.mjs" */
/** @import { Axes } from "./curve_axes.mjs" */
/** @import { Chart, Series } from "./slide_contents.mjs" */

const [THICK, THIN, RADIUS] = [3, 2, 5]; // pixels of a curve, of one with an area, and of a symbol
const SHADE = 0.16; // opacity of an area
const ABOVE = 14; // pixels from a point to the middle of its number
const HISTOGRAM = 0.95; // of the height that the highest bar of a histogram has

/**
 * @param {Chart} chart
 * @param {Setting} setting
 * @returns {ChartPicture}
 */
export function curvesChart(chart, setting) {
  const { grid, series } = chart;
  const { colours, width } = setting;
  const values = /** @type {number[][]} */ (grid.values);
  const head = headOf(chart, setting, legendOf(chart, setting));
  const axes = axesOf(chart, setting, head.bottom);
  const bars = barsOf(chart, axes);

  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    for (const { x, y, width: wide, height } of bars) painter.rect(x, y, wide, height, { fill: colours.border });
    axes.draw(painter);
    for (const line of chart.lines) drawLine(painter, line, axes, colours.primary, chart.lines.length > 1);
    series.forEach((each, row) => drawCurve(painter, each, values[row], axes, seriesColour(each.colour, setting)));
    series.forEach((each, row) => each.numbered && drawNumbers(painter, values[row], axes, { chart, setting }));
  };

  /** @param {number} x @param {number} y */
  const titleAt = (x, y) => {
    const column = axes.columnAt(x, y);
    if (column < 0) return "";
    /** @param {number} row */
    const distance = (row) => Math.abs(axes.yOf(values[row][column]) - y);
    const row = series.map((_, at) => at).reduce((best, at) => (distance(at) < distance(best) ? at : best), 0);
    const { area, area_name: areaName } = series[row];
    const range = area ? `, ${areaName} between ${area.map((edge) => written(edge[column], chart)).join(" and ")}` : "";
    const counted = chart.places ? `${chart.across} ` : "";
    const bar = bars.find((each) => x >= each.x && x < each.x + each.width);
    const behind = bar ? `\n${bar.title}` : "";
    return `${counted}${grid.columns[column]}, ${grid.rows[row]}: ${written(values[row][column], chart)}${range}${behind}`;
  };
  return { name: "curves", width, height: axes.height, colours, draw, titleAt };
}

/**
 * The bars of the histogram behind curves.
 * @param {Chart} chart
 * @param {Axes} axes
 */
function barsOf({ histogram }, { xAt, top, bottom }) {
  if (!histogram) return [];
  const [row] = /** @type {number[][]} */ (histogram.values);
  const [low, high] = histogram.range;
  const [step, largest] = [(high - low) / row.length, Math.max(...row, Number.MIN_VALUE)];
  return row.map((share, index) => {
    const x = xAt(low + index * step);
    const height = (HISTOGRAM * (bottom - top) * share) / largest;
    const title = `${histogram.rows[0]}, ${histogram.columns[index]}: ${written(share, { grid: histogram, percent: true })}`;
    return { x, y: bottom - height, width: xAt(low + (index + 1) * step) - x, height, title };
  });
}

/**
 * @param {Painter} painter
 * @param {[place: number, words: string]} line
 * @param {Axes} axes
 * @param {string} colour
 * @param {boolean} isUpright whether its words are, because there are several lines
 */
function drawLine(painter, [place, words], { xAt, left, right, top, bottom }, colour, isUpright) {
  const x = xAt(place);
  painter.lines([x, top, x, bottom], { colour, width: 2, dash: [7, 5] });
  if (isUpright) {
    painter.turned(x - SIZE / 2 - 2, bottom - GAP, -90, () => painter.text(0, 0, words, { colour, size: SMALL + 1 }));
    return;
  }
  const isRight = x >= (left + right) / 2;
  painter.text(x + (isRight ? -GAP : GAP), bottom - SIZE, words, { colour, align: isRight ? "end" : "start" });
}

/** @param {Painter} painter @param {Series} series @param {number[]} row @param {Axes} axes @param {string} colour */
function drawCurve(painter, series, row, { xOf, yOf }, colour) {
  const { area, symbol } = series;
  if (area) {
    const [under, over] = area;
    const edge = over.flatMap((value, column) => [xOf(column), yOf(value)]);
    const back = under.flatMap((value, column) => [yOf(value), xOf(column)]).reverse();
    painter.polygon([...edge, ...back], { fill: colour, alpha: SHADE });
  }
  const segments = row.slice(1).flatMap((value, at) => [xOf(at), yOf(row[at]), xOf(at + 1), yOf(value)]);
  painter.lines(segments, { colour, width: symbol ? THICK : THIN, dash: dashOf(series) });
  if (!symbol) return;
  row.forEach((value, column) => {
    painter.polygon(symbolCorners(symbol, xOf(column), yOf(value), RADIUS), { fill: colour });
  });
}

/**
 * @param {Painter} painter
 * @param {number[]} row
 * @param {Axes} axes
 * @param {{ chart: Chart, setting: Setting }} options
 */
function drawNumbers(painter, row, { xOf, yOf }, { chart, setting: { colours, measure } }) {
  row.forEach((value, column) => {
    const text = written(value, chart);
    const [x, y] = [xOf(column), yOf(value) - ABOVE];
    const wide = measure(text);
    painter.rect(x - wide / 2, y - SMALL / 2 - 1, wide, SMALL + 2, { fill: colours.background, alpha: 0.75 });
    painter.text(x, y, text, { colour: colours.text, align: "center" });
  });
}

/** How curves, and the histogram behind them, look in the legend. @param {Chart} chart @param {Setting} setting */
function legendOf({ grid, series, histogram }, setting) {
  const curves = series.map((each, row) => ({ name: grid.rows[row], mark: markOf(each, setting) }));
  /** @param {Painter} painter @param {number} x @param {number} y @param {number} width */
  const mark = (painter, x, y, width) =>
    painter.rect(x + width / 4, y - SMALL / 2, width / 2, SMALL, { fill: setting.colours.border });
  return histogram ? [...curves, { name: histogram.rows[0], mark }] : curves;
}

/** @param {Series} series @param {Setting} setting */
function markOf(series, setting) {
  const colour = seriesColour(series.colour, setting);
  /** @param {Painter} painter @param {number} x @param {number} y @param {number} width */
  return (painter, x, y, width) => {
    if (series.area) painter.rect(x, y - RADIUS, width, 2 * RADIUS, { fill: colour, alpha: SHADE });
    painter.lines([x, y, x + width, y], { colour, width: series.symbol ? THICK : THIN, dash: dashOf(series) });
    if (series.symbol) painter.polygon(symbolCorners(series.symbol, x + width / 2, y, RADIUS), { fill: colour });
  };
}
