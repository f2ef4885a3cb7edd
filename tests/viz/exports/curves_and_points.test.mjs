// @ts-check
// Charts of slides: curves and points, by what they paint.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPrefix } from "../../../viz/exports/browser/chart_parts.mjs";
import { cellsOf, tableOf, tablesOf } from "../../../viz/exports/browser/charts.mjs";
import { powersBetween } from "../../../viz/exports/browser/curve_axes.mjs";
import { curvesChart } from "../../../viz/exports/browser/curves_chart.mjs";
import { pointsChart } from "../../../viz/exports/browser/points_chart.mjs";
import { COLOURS } from "../components/recording_painter.mjs";
import { SERIES, drawn } from "./drawn_chart.mjs";
/** @import { Chart, Series } from "../../../viz/exports/browser/slide_contents.mjs" */

test("curves lie at their numbers, with areas, a line and titles", () => {
  const series = [
    { ...SERIES, colour: "text", numbered: true },
    {
      ...SERIES,
      colour: 1,
      symbol: "",
      area: [
        [0, 0.5],
        [0.5, 1],
      ],
      area_name: "four fifths",
    },
  ];
  const { picture, painter } = drawn(curvesChart, {}, { series, lines: [[1, "parted"]], value: "cosine" });
  const [curve, other] = painter.strokes
    .filter(({ segments, width }) => segments.length === 4 && (width ?? 1) > 1 && segments[0] > 100)
    .slice(1);
  const unit = curve.segments[1] - curve.segments[3]; // of 0.5
  assert.ok(unit > 0);
  assert.ok(Math.abs(other.segments[1] - other.segments[3] - 1.5 * unit) < 1e-6);
  assert.equal(curve.colour, COLOURS.text);
  const area = painter.polygons.find(({ corners }) => corners.length === 8 && corners[0] === curve.segments[0]);
  assert.ok(area && area.fill === "#223344");
  assert.ok(
    painter.written.includes("0.50") && painter.written.includes("parted") && painter.written.includes("cosine"),
  );
  assert.equal(picture.titleAt(curve.segments[2], curve.segments[3]), "b, one: 0.50");
  const title = picture.titleAt(other.segments[2], other.segments[3]);
  assert.equal(title, "b, two: 1.00, four fifths between 0.50 and 1.00");
});

test("curves on an axis of numbers lie at their places, in front of a histogram", () => {
  const values = [[0, 0.5, 1]];
  const grid = { rows: ["curve"], columns: ["0.00", "1.00", "4.00"], values };
  const bars = { rows: ["inputs"], columns: ["near 1.00", "near 3.00"], values: [[0.2, 0.1]] };
  const histogram = { ...bars, caption: "Inputs", range: [0, 4], digits: 4, signed: false };
  const series = [{ ...SERIES, colour: 0, symbol: "" }];
  const look = { series, places: [0, 1, 4], across: "input", histogram };
  const { picture, painter } = drawn(curvesChart, grid, look);
  const [first, second, third] = painter.strokes
    .find(({ segments }) => segments.length === 8)
    ?.segments.filter((_, index) => index === 0 || index === 2 || index === 6) ?? [0, 0, 0];
  assert.ok(Math.abs(third - first - 4 * (second - first)) < 1e-6);
  const [high, low] = painter.rects.filter(({ height, fill }) => fill === COLOURS.border && height > 20);
  assert.ok(Math.abs(high.height - 2 * low.height) < 1e-6 && Math.abs(high.width - low.width) < 1e-6);
  assert.equal(
    picture.titleAt(second, high.y + high.height - 1),
    "input 1.00, curve: 0.50\ninputs, near 1.00: 20.00 %",
  );
  assert.ok(painter.written.includes("input") && painter.written.includes("4"));
  const tables = tablesOf(
    /** @type {Chart} */ ({
      ...cellsOf({ caption: "Curve", digits: 2, signed: false, range: [0, 1], ...grid }),
      ...look,
    }),
  );
  assert.deepEqual(tables[0].rows[1], ["1.00", "0.50"]);
  assert.deepEqual(tables[1].rows[0], ["near 1.00", "20.00 %"]);
});

test("logarithmic axes have powers of ten, and lines with words", () => {
  const grid = {
    rows: ["one"],
    columns: ["10", "100", "1,000"],
    values: [[1e6, 1e8, 1e10]],
    range: [1e6, 1e10],
    digits: 0,
  };
  const lines = [
    [100, "equal"],
    [1000, "longest"],
  ];
  const look = { series: [{ ...SERIES, colour: 0, symbol: "" }], places: [10, 100, 1000], logarithmic: true, lines };
  const { picture, painter } = drawn(curvesChart, grid, { ...look, across: "tokens" });
  const curve = painter.strokes.find(({ segments }) => segments.length === 8)?.segments ?? [];
  const marks = painter.strokes.filter(({ dash }) => dash?.[0] === 7);
  assert.ok(Math.abs(marks[0].segments[0] - curve[2]) < 1e-6 && Math.abs(marks[1].segments[0] - curve[6]) < 1e-6);
  assert.ok(Math.abs(curve[1] + curve[7] - 2 * curve[3]) < 1e-6); // as far from the lowest as from the highest
  for (const text of ["1 M", "10 G", "100", "1 k", "equal", "longest"]) assert.ok(painter.written.includes(text), text);
  assert.equal(picture.titleAt(curve[2], curve[3]), "tokens 100, one: 100 M");
  const whole = { ...cellsOf({ caption: "", signed: false, ...grid, range: [1e6, 1e10] }), ...look };
  const { rows } = tableOf(/** @type {Chart} */ (whole));
  assert.deepEqual(rows[1], ["100", "100000000"]);
  assert.deepEqual([withPrefix(8), withPrefix(589_824), withPrefix(1.236e12)], ["8", "590 k", "1.24 T"]);
  assert.deepEqual(powersBetween(8, 16_384, 2), [10, 1000]);
});

test("points lie at their numbers, in groups, and say what they are", () => {
  const values = [
    [0, 0],
    [1, 2],
    [2, 4],
  ];
  const series = [
    { ...SERIES, colour: 0, symbol: "triangle", name: "noun" },
    { ...SERIES, colour: "A", symbol: "star", name: "sentence A" },
  ];
  const grid = { rows: ["x", "y", "z"], columns: ["first", "second"], values };
  const { picture, painter } = drawn(pointsChart, grid, { series, groups: [0, 0, 1], hover: ["x", "y\nnearest", "z"] });
  const [, , ...marks] = painter.polygons; // behind those of the legend
  const middles = marks.map(({ corners }) =>
    [0, 1].map((axis) => {
      const along = corners.filter((_, index) => index % 2 === axis);
      return along.reduce((sum, at) => sum + at, 0) / along.length;
    }),
  );
  assert.deepEqual(
    marks.map(({ corners }) => corners.length),
    [6, 6, 20],
  );
  assert.ok(Math.abs(middles[0][0] + middles[2][0] - 2 * middles[1][0]) < 1e-6);
  assert.ok(middles[0][1] > middles[1][1]);
  assert.equal(picture.titleAt(middles[1][0], middles[1][1]), "y\nnearest");
  assert.equal(picture.titleAt(1, 1), "");
  for (const text of ["noun", "sentence A", "A", "first", "second"]) assert.ok(painter.written.includes(text), text);
});
