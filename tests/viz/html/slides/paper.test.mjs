import assert from "node:assert/strict";
import { test } from "node:test";
import { ROOM, columnsOnPaper, highestOnPaper, sizeOnPaper } from "../../../../viz/html/browser/slides/paper.mjs";

test("many words are small on paper, and never too small to be read", () => {
  assert.equal(sizeOnPaper(0, ROOM.said), 13);
  assert.equal(sizeOnPaper(100_000, ROOM.said), 7);
  const sizes = [500, 1500, 3000, 5000].map((characters) => sizeOnPaper(characters, ROOM.said));
  assert.deepEqual(
    sizes,
    [...sizes].sort((one, other) => other - one),
  );
  const [size, characters] = [sizes[1], 1500];
  assert.ok(characters * 0.5 * size * 1.42 * size <= ROOM.said);
});

test("pictures share the height of a page", () => {
  const [wide, tall] = [
    { width: 700, height: 280 },
    { width: 400, height: 400 },
  ];
  assert.equal(columnsOnPaper([wide]), 1);
  assert.equal(columnsOnPaper([wide, wide]), 1);
  assert.equal(columnsOnPaper([wide, wide, wide]), 2);
  assert.equal(columnsOnPaper([tall, wide]), 2);
  const alone = highestOnPaper(1, { hasMap: false, lines: 0 });
  assert.ok(highestOnPaper(3, { hasMap: false, lines: 0 }) * 3 < alone);
  assert.ok(highestOnPaper(1, { hasMap: true, lines: 2 }) < alone);
  assert.ok(highestOnPaper(1, { hasMap: false, lines: 0, paragraphs: [10, 400] }) < alone);
  assert.ok(highestOnPaper(1, { hasMap: false, lines: 0, formulas: 3 }) < alone);
  assert.ok(highestOnPaper(0, { hasMap: false, lines: 0 }) > 0);
});
