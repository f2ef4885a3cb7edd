import assert from "node:assert/strict";
import { test } from "node:test";
import { drawRing, pointsIn, tokensOf, unitsOf } from "../../../../viz/components/shared/points.mjs";
import { COLOURS, RecordingPainter } from "../recording_painter.mjs";
/** @import { Point } from "../../../../viz/components/shared/points.mjs" */

/** @type {Point} */
const HEAD = { kind: "head", layer: 1, head: 2 };
/** @type {Point} */
const TOKEN = { kind: "token", run: "A", token: [2, 3] };
/** @type {Point} */
const CELL = { kind: "cell", run: "pair", query: [8], key: [3, 4] };

test("a picture shows the points of its own texts, and heads", () => {
  const points = [HEAD, TOKEN, CELL];
  assert.deepEqual(pointsIn(points, ["A", "B"]), [HEAD, CELL]);
  assert.deepEqual(pointsIn(points, ["A"]), [HEAD, TOKEN]);
  assert.deepEqual(pointsIn(points, ["decoder"]), [HEAD]);
});

test("the tokens of a point are those of both of its ends", () => {
  assert.deepEqual([HEAD, TOKEN, CELL].map(tokensOf), [[], [2, 3], [8, 3, 4]]);
});

test("pieces of a word are one unit; hidden tokens have none", () => {
  assert.deepEqual(unitsOf([2, 3], [[1], [2, 3], [4]]), [1]);
  assert.deepEqual(unitsOf([2, 3], [[1], [2], [3]]), [1, 2]);
  assert.deepEqual(unitsOf([0], [[1], [2]]), []);
});

test("a ring surrounds its box with a halo", () => {
  const painter = new RecordingPainter();
  drawRing(painter, { x: 10, y: 20, width: 30, height: 40 }, COLOURS);
  assert.deepEqual(
    painter.rects.map(({ stroke }) => stroke),
    [COLOURS.background, COLOURS.ring],
  );
  for (const { x, y, width, height } of painter.rects) assert.ok(x < 10 && y < 20 && width > 30 && height > 40);
});
