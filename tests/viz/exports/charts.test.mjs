// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { probabilityBars, scaleChart, stackedBars } from "../../../viz/exports/browser/bars_chart.mjs";
import { cellsChart } from "../../../viz/exports/browser/cells_chart.mjs";
import { linesOf, ticksBetween, withPrefix } from "../../../viz/exports/browser/chart_parts.mjs";
import { cellsOf, tableOf, tablesOf } from "../../../viz/exports/browser/charts.mjs";
import { powersBetween } from "../../../viz/exports/browser/curve_axes.mjs";
import { curvesChart } from "../../../viz/exports/browser/curves_chart.mjs";
import { pointsChart } from "../../../viz/exports/browser/points_chart.mjs";
import { profileBars, signedBars } from "../../../viz/exports/browser/sideways_bars.mjs";
import { COLOURS, RecordingPainter } from "../components/recording_painter.mjs";
/** @import { Setting } from "../../../viz/exports/browser/chart_parts.mjs" */
/** @import { Chart, Series } from "../../../viz/exports/browser/slide_contents.mjs" */

const THEME = {
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
const SERIES = /** @type {const} */ ({
  dash: "solid",
  symbol: "circle",
  numbered: false,
  area: null,
  area_name: "",
  name: "",
});

/** @param {string} text */
const measure = (text) => text.length * 8;

/**
 * @param {(chart: Chart, setting: Setting) => import("../../../viz/exports/browser/chart_parts.mjs").ChartPicture} draw
 * @param {object} [more] of the grid
 * @param {object} [look] of the chart
 * @param {object} [set] of the setting
 */
function drawn(draw, more = {}, look = {}, set = {}) {
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

/** @param {RecordingPainter} painter the cells, without the scale of colours above them */
const cellsIn = (painter) => painter.rects.filter(({ height, stroke }) => height > 20 && !stroke);

test("cells have a caption, a scale, names and numbers, and are pointed at", () => {
  const { picture, painter } = drawn(cellsChart);
  const names = ["Numbers", "0 to 1", "one", "two", "a", "b"];
  assert.deepEqual(painter.written.toSorted(), [...names, "0.00", "0.50", "0.25", "1.00"].toSorted());
  const cells = cellsIn(painter);
  assert.deepEqual([cells[0].fill, cells[3].fill], ["#ffffff", "#000080"]);
  const { x, y, width, height } = cells[1];
  assert.equal(picture.titleAt(x + width / 2, y + height / 2), "one, b: 0.50");
  assert.equal(picture.titleAt(x, 2), "");
});

test("numbers on dark cells are light", () => {
  const { painter } = drawn(cellsChart);
  const colourOf = new Map(painter.texts.map(({ text, colour }) => [text, colour]));
  assert.deepEqual([colourOf.get("0.00"), colourOf.get("1.00")], ["#000000", "#ffffff"]);
});

test("signed numbers have a colour on either side of 0, and what is masked has none", () => {
  const values = [
    [-1, 0],
    [null, 1],
  ];
  const { picture, painter } = drawn(cellsChart, { signed: true, range: [-1, 1], values });
  const [low, zero, masked, high] = cellsIn(painter);
  assert.deepEqual([low.fill, high.fill, masked.fill], ["#800000", "#000080", COLOURS.background]);
  assert.match(zero.fill ?? "", /^#f[c-f]/);
  assert.equal(picture.titleAt(masked.x + 1, masked.y + 1), "two, a: −∞");
});

test("a frame and a ring stand around the cells that they are about", () => {
  const look = { frames: [[0, 1, 1, 1]], frames_name: "beyond", rings: [[1, 0, 1, 2]] };
  const { picture, painter } = drawn(cellsChart, {}, look);
  const [, second, third] = cellsIn(painter);
  const ring = painter.rects.find(({ stroke }) => stroke === COLOURS.ring);
  assert.ok(ring && ring.y < third.y && ring.y + ring.height > third.y + third.height && ring.width > 2 * third.width);
  const frame = painter.rects.find(({ stroke, height }) => stroke === COLOURS.text && height > 20);
  assert.ok(frame && Math.abs(frame.x - second.x) < 3);
  assert.equal(picture.titleAt(second.x + 5, second.y + 5), "one, b: 0.50, beyond");
  const asked = drawn(cellsChart, {}, look, { ringed: false }).painter; // before a question is answered
  assert.ok(!asked.rects.some(({ stroke }) => stroke === COLOURS.ring));
});

test("many columns have narrow cells without numbers, and counted ones some numbers below", () => {
  const columns = Array.from({ length: 30 }, (_, index) => String(index));
  const more = { columns, rows: ["one"], values: [columns.map(() => 0.5)] };
  const { painter } = drawn(cellsChart, more, { across: "dimension" });
  assert.equal(cellsIn(painter).length, 30);
  assert.ok(!painter.written.includes("0.50"));
  assert.ok(painter.written.includes("dimension") && painter.written.includes("20") && !painter.written.includes("21"));
});

test("low rows have small names", () => {
  const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
  const more = { rows: names, values: names.map(() => [0, 1]) };
  const { picture, painter } = drawn(cellsChart, more, {}, { height: 300 });
  assert.ok((painter.texts.find(({ text }) => text === "name 3")?.size ?? 14) < 13);
  assert.ok(picture.height <= 301);
});

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

test("parts of a bar are as tall as their numbers, and the large ones are named", () => {
  const series = [
    { ...SERIES, colour: 0 },
    { ...SERIES, colour: "muted" },
  ];
  const values = [
    [0.75, 0.02],
    [0.25, 0.98],
  ];
  const { picture, painter } = drawn(stackedBars, { values }, { series, percent: true, notes: [["87%"], ["90%"]] });
  const parts = painter.rects.filter(({ stroke }) => stroke === COLOURS.background);
  assert.ok(Math.abs(parts[0].height - 3 * parts[1].height) < 1e-6);
  assert.ok(Math.abs(parts[1].y + parts[1].height - parts[0].y) < 1e-6);
  assert.deepEqual(
    parts.slice(0, 2).map(({ fill }) => fill),
    ["#112233", "#808080"],
  );
  assert.equal(painter.written.filter((text) => text === "one").length, 2); // in the legend and in one bar
  assert.ok(painter.written.includes("100 %") && painter.written.includes("87%"));
  assert.equal(picture.titleAt(parts[3].x + 1, parts[3].y + 1), "b, two: 98 %");
});

test("bars of classes and a mark on a scale stand at their numbers", () => {
  const { picture, painter } = drawn(probabilityBars, { rows: ["probability"], values: [[0.2, 0.8]] });
  const [one, other] = painter.rects;
  assert.ok(Math.abs(other.width - 4 * one.width) < 1e-6);
  assert.equal(picture.titleAt(one.x, one.y), "a: 0.20");
  const score = { rows: ["score"], columns: ["score"], values: [[3]], range: [-1, 1] };
  const scale = drawn(scaleChart, score).painter;
  const [mark] = scale.polygons;
  const line = scale.strokes.find(({ width }) => width === 2);
  assert.ok(line && Math.abs((mark.corners[0] + mark.corners[4]) / 2 - line.segments[2]) < 1e-6); // at the scale's end
  assert.ok(scale.written.includes("3.00"));
});

test("a chart's table has all of its numbers", () => {
  const { grid } = drawn(cellsChart);
  assert.deepEqual(tableOf(cellsOf(grid)), {
    caption: "Numbers",
    header: ["", "a", "b"],
    rows: [
      ["one", "0.00", "0.50"],
      ["two", "0.25", "1.00"],
    ],
  });
});

test("ticks are round numbers within a range, and captions are cut into lines", () => {
  assert.deepEqual(ticksBetween(0, 1, 4), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticksBetween(0, 383, 5), [0, 100, 200, 300]);
  assert.deepEqual(linesOf("one two three", 60, measure), ["one two", "three"]);
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

test("signed bars go to either side of 0, with their sign, and are ringed", () => {
  const grid = { rows: ["adds"], values: [[-0.5, 1]], range: [-0.5, 1] };
  const look = { value: "log odds", said: "Sum of words +0.50.", rings: [[0, 1, 1, 1]] };
  const { picture, painter } = drawn(signedBars, grid, look);
  const [low, high, ring] = painter.rects;
  assert.ok(Math.abs(high.width - 2 * low.width) < 1e-6 && Math.abs(low.x + low.width - high.x) < 1e-6);
  assert.deepEqual([low.fill, high.fill], ["#800000", "#000080"]);
  assert.ok(ring.y <= high.y && ring.y + ring.height >= high.y + high.height && ring.y > low.y);
  const texts = ["−0.50", "+1.00", "log odds", "Sum of words +0.50."];
  assert.deepEqual(
    texts.filter((text) => !painter.written.includes(text)),
    [],
  );
  assert.equal(picture.titleAt(low.x, low.y), "a: −0.50 log odds");
});

test("a profile has what looks at a word to the left, and what it looks at to the right", () => {
  const values = [
    [0.25, 0],
    [0.5, 1],
  ];
  const look = { series: [{ ...SERIES, colour: "A" }], frames: [[0, 1, 2, 1]], rings: [[1, 0, 1, 1]] };
  const { picture, painter } = drawn(profileBars, { rows: ["looks at it", "it looks at"], values, digits: 4 }, look);
  const [left, right] = painter.rects;
  assert.ok(Math.abs(right.width - 2 * left.width) < 1e-6 && left.x + left.width < right.x);
  assert.equal(painter.texts.find(({ text }) => text === "b")?.weight, 600);
  assert.ok(painter.written.includes("← looks at it") && painter.written.includes("it looks at →"));
  assert.ok(!painter.written.includes("0.00"));
  assert.equal(picture.titleAt(left.x, left.y), "a, looks at it: 0.2500");
  assert.equal(picture.titleAt(right.x, right.y), "a, it looks at: 0.5000");
  const ring = painter.rects.find(({ stroke }) => stroke === COLOURS.ring);
  assert.ok(ring && ring.x > left.x && ring.x < right.x && ring.x + ring.width > right.x + right.width);
});
