import assert from "node:assert/strict";
import { test } from "node:test";
import { placeCard } from "../../../../viz/components/cell_map/card.mjs";

const CARD = { width: 300, height: 250 };
const WINDOW = { width: 1000, height: 700 };

/** A cell of 40 × 30 pixels; its labels are in a column and a row at 100. @param {number} left @param {number} top */
function around(left, top) {
  const cell = { left, right: left + 40, top, bottom: top + 30 };
  return {
    cell,
    labels: [
      { ...cell, left: 0, right: 100 },
      { ...cell, top: 60, bottom: 100 },
    ],
  };
}

test("the card is right of its cell where there is room", () => {
  assert.deepEqual(placeCard(CARD, around(200, 200), WINDOW), { left: 248, top: 200 });
  assert.deepEqual(placeCard(CARD, around(200, 600), WINDOW), { left: 248, top: 442 }); // inside the window
});

test("without room at the right the card is below its cell", () => {
  assert.deepEqual(placeCard(CARD, around(800, 200), WINDOW), { left: 692, top: 238 });
});

test("in the lower right corner the card leaves the labels free", () => {
  assert.deepEqual(placeCard(CARD, around(800, 600), WINDOW), { left: 492, top: 442 });
});

test("in a small window the card covers as little as possible", () => {
  assert.deepEqual(placeCard(CARD, around(200, 200), { width: 390, height: 700 }), { left: 82, top: 238 });
});
