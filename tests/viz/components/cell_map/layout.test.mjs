import assert from "node:assert/strict";
import { test } from "node:test";
import { extentOfAll, fitLabels, layoutOf, turnOf } from "../../../../viz/components/cell_map/layout.mjs";
import { assertClose } from "../made_up.mjs";
/** @import { Range } from "../../../../viz/components/shared/types.mjs" */

/** @type {[rows: Range, columns: Range, sides: [number, number]][]} */
const BLOCKS = [
  [
    [7, 13],
    [0, 7],
    [64, 57],
  ],
  [
    [0, 2],
    [2, 40],
    [18.4, 64],
  ],
  [
    [0, 7],
    [7, 45],
    [18.4, 36],
  ],
  [
    [3, 40],
    [0, 3],
    [64, 15],
  ],
];

for (const [rows, columns, [across, down]] of BLOCKS) {
  test(`cells of rows ${rows}, columns ${columns} fill their sides`, () => {
    const page = { width: 820, windowHeight: 900, widest: { rows: 60, columns: 30 }, block: { rows, columns } };
    const [{ area, width, height }, withLegend] = [layoutOf(page), layoutOf({ ...page, legend: true })];
    assertClose(area.width / (columns[1] - columns[0]), across, 0.1);
    assertClose(area.height / (rows[1] - rows[0]), down, 0.1);
    assert.ok(area.left + area.width <= width && width <= 820);
    assert.deepEqual(withLegend.area, area);
    assert.ok(withLegend.height > height + 20);
  });
}

test("labels lie as flat as there is room", () => {
  assert.deepEqual([turnOf(64, 30), turnOf(30, 64), turnOf(10, 30)], [0, -45, -90]);
});

test("labels are cut, and rows and columns measured separately", () => {
  /** @param {string} text */
  const measure = (text) => 10 * text.length;
  const block = /** @type {const} */ ({ rows: [0, 1], columns: [1, 3] });
  const { texts, widest, columnWidths } = fitLabels(["a", "bcd", "a long label"], block, measure);
  assert.deepEqual(texts, ["a", "bcd", "a long lab…"]);
  assert.deepEqual(widest, { rows: 10, columns: 110 });
  assert.deepEqual(columnWidths, [30, 110]);
});

test("only an overhanging slanted label narrows the cells", () => {
  /** @param {number[]} columnWidths */
  const laidOut = (columnWidths) => {
    const block = /** @type {const} */ ({ rows: [0, 7], columns: [0, 7] });
    const widest = { rows: 50, columns: Math.max(...columnWidths) };
    return layoutOf({ width: 360, windowHeight: 900, block, widest, columnWidths });
  };
  const short = laidOut([36, 30, 30, 30, 30, 34, 36]); // of two sentences side by side
  const long = laidOut([36, 30, 30, 30, 30, 50, 36]);
  assert.deepEqual([short.turn, long.turn], [-45, -45]);
  assert.equal(long.area.width, short.area.width);
  for (const column of [4, 5, 6]) {
    const widths = Array.from({ length: 7 }, (_, index) => (index === column ? 110 : 36));
    const { area, width } = laidOut(widths);
    const end = area.left + ((column + 0.5) * area.width) / 7 + Math.SQRT1_2 * 110;
    assert.ok(end <= width + 1, `the label of column ${column} is not cut off`);
  }
});

test("compared texts have cells of one size in one place", () => {
  const page = { width: 363, windowHeight: 900 };
  const extents = [
    { size: { rows: 7, columns: 7 }, widest: { rows: 40, columns: 60 }, columnWidths: [36, 20, 30, 30, 10, 60, 36] },
    { size: { rows: 9, columns: 9 }, widest: { rows: 50, columns: 36 }, columnWidths: [36, 9, 9, 9, 9, 9, 9, 9, 36] },
  ];
  const room = extentOfAll(extents);
  const [short, long] = extents.map(({ size: { rows, columns } }) => {
    return layoutOf({ ...page, ...room, block: { rows: [0, rows], columns: [0, columns] } });
  });
  assert.equal(short.area.width / 7, long.area.width / 9);
  assert.equal(short.area.height / 7, long.area.height / 9);
  for (const side of /** @type {const} */ (["left", "top"])) assert.equal(short.area[side], long.area[side]);
  assert.deepEqual([short.width, short.turn], [long.width, long.turn]);
  assert.deepEqual(room.columnWidths, [36, 9, 36, 20, 30, 30, 10, 60, 36]);
});
