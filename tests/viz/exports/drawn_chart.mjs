// @ts-check
// A chart drawn by a painter that remembers what it was told.
import assert from "node:assert/strict";
import { cellsOf } from "../../../viz/exports/browser/charts.mjs";
import { COLOURS, RecordingPainter } from "../components/recording_painter.mjs";
/** @import { Setting } from "../../../viz/exports/browser/chart_parts.mjs" */
/** @import { Chart, Series } from "../../../viz/exports/browser/slide_contents.mjs" */

export const THEME = {
  heads: ["#112233", "#223344"],
  muted: "#808080",
  sequential: /** @type {[number, string][]} */ ([
    [0, "#ffffff"],
    [1, "#000080"],
  ]),
  diverging: /** @type {[number, string][]} */ ([
    [0, "#800000"],
    [0.5, "#ffffff"],
    [1, "#000080"],
  ]),
};
export const SERIES = /** @type {const} */ ({
  dash: "solid",
  symbol: "circle",
  numbered: false,
  area: null,
  area_name: "",
  name: "",
});

/** @param {string} text */
export const measure = (text) => text.length * 8;

/**
 * @param {(chart: Chart, setting: Setting) => import("../../../viz/exports/browser/chart_parts.mjs").ChartPicture} draw
 * @param {object} [more] of the grid
 * @param {object} [look] of the chart
 * @param {object} [set] of the setting
 */
export function drawn(draw, more = {}, look = {}, set = {}) {
  const grid = {
    ...{ caption: "Numbers", rows: ["one", "two"], columns: ["a", "b"], digits: 2, signed: false },
    values: [
      [0, 0.5],
      [0.25, 1],
    ],
    range: /** @type {[number, number]} */ ([0, 1]),
    ...more,
  };
  const painter = new RecordingPainter();
  const setting = { theme: THEME, colours: COLOURS, measure, width: 640, height: 420, ringed: true, ...set };
  const picture = draw({ ...cellsOf(grid), ...look }, setting);
  picture.draw(painter);
  for (const { x, y, width, height } of painter.rects) {
    assert.ok(x + width <= picture.width + 6 && y + height <= picture.height + 6, "it lies in the picture");
  }
  return { picture, painter, grid };
}
