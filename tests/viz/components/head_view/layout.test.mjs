// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf, roomIn, roomsIn, scrolledTo, tokenAt } from "../../../../viz/components/head_view/layout.mjs";
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

test("a long text leaves room for what is said of it", () => {
  const sizes = [[900, 13], [900, 512], [1080, 512], [500, 512], [2000, 512]]; // prettier-ignore
  const rooms = sizes.map(([windowHeight, rows]) => roomIn(windowHeight, rows));
  assert.deepEqual(rooms, [560, 500, 680, 360, 900]);
});

test("a token comes into view by scrolling as little as possible", () => {
  const ranges = TEXTS[2][2];
  const layout = layoutOf({ width: 820, room: 560, ranges, bStart: null, heads: 1, widest: () => 40 });
  assert.equal(scrolledTo(layout, { side: 0, unit: 0 }, { top: 900, height: 560 }), 0);
  assert.equal(scrolledTo(layout, { side: 0, unit: 5 }, { top: 0, height: 560 }), 0);
  const top = scrolledTo(layout, { side: 0, unit: 511 }, { top: 0, height: 560 });
  assert.equal(top, layout.height - 560);
});

test("before an audience rows stand closer, so that more of them are seen", () => {
  assert.deepEqual(roomsIn(900, 13, null), { room: 560, lowest: 24 });
  const rooms = roomsIn(419, 13, 290);
  assert.equal(rooms.room, 290);
  /** @type {Ranges} */
  const ranges = [[0, 13], [0, 13]]; // prettier-ignore
  const layout = layoutOf({ width: 720, ...rooms, ranges, bStart: 7, heads: 1, widest: () => 40 });
  assert.ok(layout.height <= 290 && layout.row < 24);
  assert.equal(layout.font, 14);
});
