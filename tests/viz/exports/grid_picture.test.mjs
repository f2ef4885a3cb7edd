// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { gridPicture } from "../../../viz/exports/browser/grid_picture.mjs";
import { COLOURS, RecordingPainter } from "../components/recording_painter.mjs";

const THEME = {
  heads: ["#000000"],
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

/** @param {string} text */
const measure = (text) => text.length * 8;

/** @param {object} [more] */
function drawn(more = {}) {
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
  const picture = gridPicture(grid, THEME, COLOURS, measure);
  picture.draw(painter);
  return { picture, painter };
}

test("a grid's picture has its caption, its names and its numbers", () => {
  const { picture, painter } = drawn();
  const texts = painter.texts.map(({ text }) => text);
  assert.deepEqual(texts, ["Numbers", "a", "b", "one", "0.00", "0.50", "two", "0.25", "1.00"]);
  const fills = painter.rects.map(({ fill }) => fill);
  assert.deepEqual([fills[0], fills[3]], ["#ffffff", "#000080"]);
  for (const { x, y, width, height } of painter.rects) {
    assert.ok(x + width <= picture.width && y + height <= picture.height);
  }
});

test("numbers on dark cells are light", () => {
  const { painter } = drawn();
  const colourOf = new Map(painter.texts.map(({ text, colour }) => [text, colour]));
  assert.deepEqual([colourOf.get("0.00"), colourOf.get("1.00")], ["#000000", "#ffffff"]);
});

test("signed numbers have a colour on either side of 0", () => {
  const values = [
    [-1, 0],
    [0, 1],
  ];
  const { painter } = drawn({ signed: true, range: [-1, 1], values });
  const [low, zero, , high] = painter.rects.map(({ fill }) => fill);
  assert.deepEqual([low, high], ["#800000", "#000080"]);
  assert.match(zero ?? "", /^#f[c-f]/);
});

test("many columns have narrow cells without numbers", () => {
  const columns = Array.from({ length: 30 }, (_, index) => String(index));
  const { painter } = drawn({ columns, rows: ["one"], values: [columns.map(() => 0.5)] });
  assert.equal(painter.rects.length, 30);
  assert.ok(!painter.texts.some(({ text }) => text === "0.50"));
});
