// @ts-check
// The charts of a slide: pictures that can be pointed at, each with its numbers as a table.
import { contextOf } from "../../components/shared/canvas_painter.mjs";
import { coloursOf } from "../../components/shared/colour.mjs";
import { element } from "../../components/shared/elements.mjs";
import { svgOf } from "../../components/shared/save.mjs";
import { TableTwin } from "../../components/shared/table.mjs";
import { textMeasures } from "../../components/shared/text.mjs";
import { Tip } from "../../components/shared/tip.mjs";
import { boxOf, pointIn, zoomOf } from "../../components/shared/zoom.mjs";
import { stackedBars } from "./bars_chart.mjs";
import { cellsChart } from "./cells_chart.mjs";
import { SIZE, written } from "./chart_parts.mjs";
import { curvesChart } from "./curves_chart.mjs";
import { svgElement } from "./paper.mjs";
import { pointsChart } from "./points_chart.mjs";
import { profileBars } from "./sideways_bars.mjs";
/** @import { DataTheme, Table } from "../../components/shared/types.mjs" */
/** @import { ChartPicture } from "./chart_parts.mjs" */
/** @import { NumberGrid } from "./contents.mjs" */
/** @import { Chart } from "./slide_contents.mjs" */

const DRAW = {
  cells: cellsChart,
  curves: curvesChart,
  points: pointsChart,
  "stacked bars": stackedBars,
  profile: profileBars,
};
const ALONE = { width: 640, height: 420 }; // pixels, of a chart on paper and in a file
const BESIDE = { width: 470, height: 400 }; // two of them
const MANY = { width: 470, height: 300 }; // more than two
const PAGE = { width: 1280, height: 720 }; // in a larger window, charts are larger
const MOST_ROWS = 2; // that are seen at once
const LEAST = { width: 220, height: 150 };
const BELOW = 60; // pixels under all charts, where the bar is
const TABLE = 26; // pixels of the line that opens a chart's table, with the gap below it

/** @typedef {{ width: number, height: number }} Size */

/** @param {number} count of charts */
const columnsFor = (count) => (count > 4 ? 3 : Math.min(count, 2));

/**
 * The charts of a slide as pictures.
 * @param {readonly Chart[]} charts
 * @param {DataTheme} theme
 * @param {{ ringed: boolean, size?: Size }} options whether they show what the stop points at; the size that each should
 *   have, where it is not that of paper
 * @returns {ChartPicture[]}
 */
export function chartPictures(charts, theme, { ringed, size = sizeOnPaper(charts.length) }) {
  const colours = coloursOf(document.body);
  const measure = textMeasures(contextOf(element("canvas")), colours.font)(SIZE);
  return charts.map((chart) => DRAW[chart.look](chart, { theme, colours, measure, ringed, ...size }));
}

/** @param {number} count of charts @returns {Size} */
function sizeOnPaper(count) {
  if (count > 2) return MANY;
  return count > 1 ? BESIDE : ALONE;
}

/**
 * The size that each of some charts has in its place on the screen.
 * @param {HTMLElement} place
 * @param {number} count of charts
 * @returns {Size}
 */
function sizeOnScreen(place, count) {
  const zoom = zoomOf(place);
  const seen = { width: window.innerWidth / zoom, height: window.innerHeight / zoom };
  const scale = Math.max(1, Math.min(seen.width / PAGE.width, seen.height / PAGE.height));
  const { top, width } = boxOf(place);
  const style = getComputedStyle(place);
  const columns = style.gridTemplateColumns.split(" ").length;
  const rows = Math.min(Math.ceil(count / columns), MOST_ROWS);
  const room = seen.height - (top + window.scrollY / zoom) - BELOW;
  return {
    width: Math.max((width - (columns - 1) * parseFloat(style.columnGap)) / columns / scale, LEAST.width),
    height: Math.max((room / rows - TABLE) / scale, LEAST.height),
  };
}

/**
 * Put charts into their place on a slide.
 * @param {HTMLElement} place
 * @param {readonly Chart[]} charts
 * @param {DataTheme} theme
 * @param {{ ringed: boolean, prefix: string }} options the prefix of names that no other slide has
 */
export function showCharts(place, charts, theme, { ringed, prefix }) {
  if (!charts.length) return;
  place.dataset.columns = String(columnsFor(charts.length));
  const tip = new Tip(new AbortController().signal);
  const figures = chartPictures(charts, theme, { ringed, size: sizeOnScreen(place, charts.length) }).map(
    (picture, index) => chartElement(charts[index], picture, tip, `${prefix}-chart-${index}`),
  );
  place.replaceChildren(...figures, tip.root);
}

/**
 * A grid as a chart of cells.
 * @param {NumberGrid} grid
 * @returns {Chart}
 */
export function cellsOf(grid) {
  return {
    ...{ look: "cells", grid, said: "", series: [], groups: [], hover: [], across: "", value: "", percent: false },
    ...{ places: null, logarithmic: false, lines: [], histogram: null, notes: [] },
    ...{ frames: [], frames_name: "", rings: [], dividers: [] },
  };
}

/**
 * @param {Chart} chart
 * @param {ChartPicture} picture
 * @param {Tip} tip
 * @param {string} prefix
 */
function chartElement(chart, picture, tip, prefix) {
  const figure = element("figure", "chart");
  const drawn = svgElement(svgOf(picture), prefix);
  drawn.addEventListener("pointermove", (event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    const box = drawn.getBoundingClientRect();
    const scale = picture.width / box.width;
    const title = picture.titleAt((clientX - box.left) * scale, (clientY - box.top) * scale);
    const { x, y } = pointIn(tip.root, { clientX, clientY });
    if (title) tip.showBeside(linesAsElements(title), x, y);
    else tip.hide();
  });
  drawn.addEventListener("pointerleave", () => tip.hide());
  figure.append(drawn, ...tablesOf(chart).map(twinOf));
  return figure;
}

/** @param {string} text with breaks between its lines */
function linesAsElements(text) {
  return text.split("\n").map((line) => element("div", "", line));
}

/** @param {Table} table */
function twinOf(table) {
  const twin = new TableTwin(() => table);
  twin.root.setAttribute("aria-label", table.caption);
  return twin.root;
}

/** The numbers of a chart, and those of the histogram behind its curves. @param {Chart} chart */
export function tablesOf(chart) {
  const { histogram } = chart;
  return [tableOf(chart), ...(histogram ? [tableOf({ ...chart, grid: histogram, places: [], percent: true })] : [])];
}

/**
 * Numbers as rows and columns; columns that lie on an axis of numbers, of which there are many, are rows.
 * @param {Chart} chart
 * @returns {Table}
 */
export function tableOf({ grid, percent, places }) {
  const { caption, rows, columns, values } = grid;
  /** @param {number | null} value */
  const text = (value) => written(value, { grid, percent });
  if (places) {
    const lines = columns.map((name, column) => [name, ...values.map((row) => text(row[column]))]);
    return { caption, header: ["", ...rows], rows: lines };
  }
  return { caption, header: ["", ...columns], rows: rows.map((name, row) => [name, ...values[row].map(text)]) };
}
