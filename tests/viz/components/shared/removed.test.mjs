import assert from "node:assert/strict";
import { test } from "node:test";
import { sentenceOf, sinkSentence } from "../../../../viz/components/shared/removed.mjs";
import { LENGTHS, SHARES } from "../made_up.mjs";
import { MEAN } from "../../../../viz/components/shared/selection.mjs";

const REMOVED = { shape: [2, 3], values: Float32Array.of(0.1, 0.2, 0.3, 0.5, 0.6, 1) };

test("the note averages hidden attention over the rendered heads", () => {
  /** @param {number[]} heads */
  const said = (heads) => sentenceOf(REMOVED, heads, "hide").split(").")[0];
  assert.match(said([0]), /receive 20 % of .* \(between 10 % and 30 %$/);
  assert.match(said([MEAN]), /receive 45 % of .* \(between 30 % and 65 %$/);
  assert.match(said([0, 1]), /receive 45 % of .* \(between 10 % and 100 %, over all heads$/);
  assert.match(said([]), /over all heads$/);
});

test("the note says how rows were rescaled", () => {
  assert.match(sentenceOf(REMOVED, [0], "hide"), /The rows are left as they are and add up to the rest\.$/);
  assert.match(sentenceOf(REMOVED, [0], "renormalise"), /The rows are scaled to add up to 1 again\.$/);
});

test("what a sink receives is said, and never scaled away", () => {
  const said = /receives 20 % of the attention .* \(between 10 % and 30 %\)\. (.*)$/;
  assert.equal(said.exec(sinkSentence(REMOVED, [0], true))?.[1], "It is the last column.");
  assert.match(said.exec(sinkSentence(REMOVED, [0], false))?.[1] ?? "", /rows add up to the rest/);
});

test("lengths are not shares; heads together are their own plane", () => {
  const removed = { shape: [3, 1], values: Float32Array.of(0.1, 0.2, 0.6) };
  assert.match(sentenceOf(removed, [MEAN], "hide", LENGTHS), /^60 % of the lengths in a row .* is theirs\./);
  assert.match(sentenceOf(removed, [0, 1], "renormalise", LENGTHS), /^15 % .* rows stay as they are\.$/);
  assert.match(
    sentenceOf({ shape: [1, 1], values: Float32Array.of(0.4) }, [MEAN], "hide", SHARES),
    /40 % of the shares/,
  );
});
