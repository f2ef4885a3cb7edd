import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf, roomsIn, scrolledTo, tokenAt } from "../../../../viz/components/head_view/layout.mjs";
import { unitsIn } from "../../../../viz/components/shared/ranges.mjs";
/** @import { Ranges, Side } from "../../../../viz/components/head_view/lines.mjs" */

/** @type {[name: string, bStart: number | null, ranges: Ranges][]} */
const TEXTS = [
  ["a pair", 7, [[0, 13], [0, 13]]], // prettier-ignore
  ["A and B of a pair", 7, [[0, 7], [7, 13]]], // prettier-ignore
  ["a long text", null, [[0, 512], [0, 512]]], // prettier-ignore
];
/** @type {readonly Side[]} */
const SIDES = [0, 1];

for (const [name, bStart, ranges] of TEXTS) {
  for (const width of [396, 820, 1200]) {
    test(`every row of ${name} is found where it is drawn, at ${width} pixels`, () => {
      const layout = layoutOf({ width, room: 560, ranges, bStart, heads: 12, widest: () => 400 });
      for (const side of SIDES) {
        const x = [layout.labels[0] - 5, layout.labels[1] + 5][side];
        for (const unit of unitsIn(ranges[side])) {
          assert.deepEqual(tokenAt(layout, x, layout.ys[side][unit] + layout.row / 2 - 1), { side, unit });
        }
      }
      assert.equal(tokenAt(layout, width / 2, 100), null);
      assert.ok(layout.row >= 22);
      assert.ok(layout.font >= 14);
      assert.ok(layout.shown <= 560);
      const { gutters, lines } = layout;
      assert.ok(0 < gutters[0] && gutters[0] < lines[0] && lines[0] < lines[1] && lines[1] < width);
    });
  }
}

test("a token comes into view by scrolling as little as possible", () => {
  const ranges = TEXTS[2][2];
  const layout = layoutOf({ width: 820, room: 560, ranges, bStart: null, heads: 1, widest: () => 40 });
  assert.equal(scrolledTo(layout, { side: 0, unit: 0 }, { top: 900, height: 560 }), 0);
  assert.equal(scrolledTo(layout, { side: 0, unit: 5 }, { top: 0, height: 560 }), 0);
  const top = scrolledTo(layout, { side: 0, unit: 511 }, { top: 0, height: 560 });
  assert.equal(top, layout.height - 560);
});

/** @param {number} rows @param {number} stageRoom */
function onStage(rows, stageRoom) {
  /** @type {Ranges} */
  const ranges = [[0, rows], [0, rows]]; // prettier-ignore
  return layoutOf({ width: 720, ...roomsIn(419, rows, stageRoom), ranges, bStart: 7, heads: 12, widest: () => 40 });
}

test("on stage rows are denser, so that all are visible", () => {
  for (const rows of [8, 13, 15, 20]) {
    const layout = onStage(rows, 290);
    assert.ok(layout.height <= 290, `${rows} rows`);
    assert.equal(layout.shown, layout.height);
    assert.equal(
      layout.font,
      layout.row >= 14 ? Math.max(14, Math.min(17, Math.round(layout.row / 2))) : Math.floor(layout.row),
    );
  }
  assert.equal(onStage(17, 290).font, 14);
  assert.equal(onStage(20, 290).font, 12);
});

test("on stage a long text scrolls at a readable size", () => {
  const layout = onStage(60, 290);
  assert.equal(layout.shown, 290);
  assert.deepEqual([layout.row, layout.font], [10, 10]);
});
