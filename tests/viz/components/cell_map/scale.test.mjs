import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MOST_LINEAR,
  SCALES,
  captionOf,
  scaleName,
  scaleNote,
  scaleOf,
  shareOf,
  ticksOf,
} from "../../../../viz/components/cell_map/scale.mjs";
import { LENGTHS, SHARES, assertClose, randomNumbers } from "../made_up.mjs";
/** @import { Scale } from "../../../../viz/components/cell_map/scale.mjs" */

/** Scales of texts and pictures of every kind, and a weight of each. @returns {Generator<[Scale, number]>} */
function* cases() {
  const random = randomNumbers(7);
  for (const choice of SCALES) {
    for (let round = 0; round < 100; round += 1) {
      const largest = random() ** 4;
      yield [scaleOf(choice, Math.ceil(128 * random()), () => largest), largest * random()];
    }
  }
}

test("a share grows with the weight, from 0 to 1", () => {
  const random = randomNumbers(9);
  for (const [scale, weight] of cases()) {
    assert.equal(shareOf(scale, 0), 0);
    assert.equal(shareOf(scale, scale.most), 1);
    const less = weight * random();
    assert.ok(less === weight || shareOf(scale, less) < shareOf(scale, weight));
  }
});

test("ticks are in order, at the shares of the weights that they name", () => {
  for (const [scale] of cases()) {
    const ticks = ticksOf(scale);
    assert.deepEqual([ticks[0].share, ticks.at(-1)?.share], [0, 1]);
    for (const [index, { share, text }] of ticks.entries()) {
      assertClose(shareOf(scale, Number(text)), share, 0.005);
      assert.ok(index === 0 || share > ticks[index - 1].share);
    }
  }
});

test("the automatic scale depends on the length of the text", () => {
  const kinds = [MOST_LINEAR, MOST_LINEAR + 1].map((count) => scaleOf("auto", count, assert.fail).kind);
  assert.deepEqual(kinds, ["linear", "root"]);
  assert.equal(scaleName("auto", MOST_LINEAR), "Colour scale: automatic (0 to 1)");
  assert.equal(scaleName("auto", MOST_LINEAR + 1), "Colour scale: automatic (square root)");
  assert.equal(scaleOf("linear", 500, assert.fail).kind, "linear");
});

test("a picture without attention has the colours of the linear scale", () => {
  const scale = scaleOf("largest", 5, () => 0);
  assert.deepEqual(scale, { kind: "largest", most: 1 });
});

test("the note explains colours unless they are linear from 0 to 1", () => {
  assert.equal(scaleNote({ kind: "linear", most: 1 }, "auto"), "");
  assert.match(
    scaleNote({ kind: "root", most: 1 }, "auto"),
    /square root of the weights, because .* more than 64 tokens/,
  );
  assert.equal(scaleNote({ kind: "root", most: 1 }, "root"), "Colours show the square root of the weights. ");
  assert.match(scaleNote({ kind: "largest", most: 0.12345 }, "largest"), /end at 0\.123, the largest weight here/);
});

test("lengths and shares have scales and captions of their own", () => {
  assert.deepEqual(scaleOf("linear", 5, assert.fail, LENGTHS), { kind: "linear", most: 8 });
  assert.deepEqual(scaleOf("auto", 5, assert.fail, LENGTHS), { kind: "root", most: 8 });
  assert.deepEqual(scaleOf("linear", 5, assert.fail, SHARES), { kind: "linear", most: 1 });
  assert.equal(shareOf({ kind: "root", most: 8 }, 2), 0.5);
  assert.deepEqual(
    ticksOf({ kind: "linear", most: 8 }).map(({ text }) => text),
    ["0", "4", "8"],
  );
  assert.equal(captionOf({ kind: "root", most: 8 }, LENGTHS), "‖α f(x)‖ (√)");
  assert.equal(captionOf({ kind: "linear", most: 1 }, SHARES), "GlobEnc share");
  assert.equal(scaleName("linear", 5, LENGTHS), "Colour scale: 0 to 8");
  assert.equal(scaleName("auto", 5, SHARES), "Colour scale: automatic (square root)");
});

test("the largest length is named whatever the colours", () => {
  assert.match(scaleNote({ kind: "linear", most: 8 }, "linear", LENGTHS), /end at 8, the largest length in any layer/);
  assert.match(scaleNote({ kind: "root", most: 8 }, "auto", LENGTHS), /end at 8.*square root of the lengths\. $/);
  assert.equal(scaleNote({ kind: "linear", most: 1 }, "linear", SHARES), "");
});
