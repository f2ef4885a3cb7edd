import assert from "node:assert/strict";
import { test } from "node:test";
import { channelsOf, contrastOf, pixelRamp, ramp } from "../../../../viz/components/shared/colour.mjs";
import { fitted } from "../../../../viz/components/shared/text.mjs";
import { assertClose } from "../made_up.mjs";

test("a ramp runs through the stops", () => {
  const colours = ramp([[0, "#000000"], [0.5, "#ff0000"], [1, "#ffffff"]], 5); // prettier-ignore
  assert.deepEqual(colours, [[0, 0, 0], [128, 0, 0], [255, 0, 0], [255, 128, 128], [255, 255, 255]]); // prettier-ignore
  assert.deepEqual(channelsOf("#0A10ff"), [10, 16, 255]);
});

test("pixels of a ramp are opaque and have its colours", () => {
  /** @type {[number, string][]} */
  const scale = [[0, "#000000"], [0.5, "#ff0000"], [1, "#ffffff"]]; // prettier-ignore
  const bytes = [...new Uint8Array(pixelRamp(scale).buffer)];
  assert.deepEqual(
    bytes,
    ramp(scale).flatMap((channels) => [...channels, 255]),
  );
  assert.deepEqual(bytes.slice(-4), [255, 255, 255, 255]);
});

test("contrast is that of WCAG", () => {
  assertClose(contrastOf("#000000", "#ffffff"), 21);
  assertClose(contrastOf("#777777", "#777777"), 1);
  assertClose(contrastOf("#ffffff", "#767676"), 4.54, 0.005); // the lightest grey that passes AA on white
});

test("long labels end in an ellipsis between characters", () => {
  /** @param {string} text */
  const measure = (text) => [...text].length;
  /** @type {[text: string, width: number][]} */
  const labels = [["flies", 5], ["flies", 4], ["🙂🙂🙂", 2], ["flies", 0]]; // prettier-ignore
  const texts = labels.map(([text, width]) => fitted(text, width, measure));
  assert.deepEqual(texts, ["flies", "fli…", "🙂…", "…"]);
});
