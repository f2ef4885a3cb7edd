// @ts-check
// Charts of slides: cells, bars and tables, by what they paint.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stackedBars } from "../../../viz/exports/browser/bars_chart.mjs";
import { cellsChart } from "../../../viz/exports/browser/cells_chart.mjs";
import { linesOf, ticksBetween } from "../../../viz/exports/browser/chart_parts.mjs";
import { cellsOf, tableOf } from "../../../viz/exports/browser/charts.mjs";
import { profileBars } from "../../../viz/exports/browser/sideways_bars.mjs";
import { COLOURS } from "../components/recording_painter.mjs";
import { SERIES, measure, drawn } from "./drawn_chart.mjs";
/** @import { RecordingPainter } from "../components/recording_painter.mjs" */

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
