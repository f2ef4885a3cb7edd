// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { DirectRuns, directRunsOf } from "../../../../viz/components/shared/direct_runs.mjs";

/** @param {string} layers */
function run(layers) {
  return { layers, map: null, strip: { tokens: [], tags: [], words: [], n_sentences: 1, run: "A" } };
}

test("a run is shown until Python has told of its text, or of a later one", () => {
  const runs = new DirectRuns();
  let changes = 0;
  const closing = new AbortController();
  runs.whenChanged(() => (changes += 1), closing.signal);
  runs.show(new Map([["A,B", run("pair")]]), 7);
  assert.equal(runs.of(["A", "B"])?.layers, "pair");
  assert.equal(runs.of(["A"]), undefined);
  for (const earlier of [null, 6]) runs.dropUntil(earlier);
  assert.equal(runs.of(["A", "B"])?.layers, "pair");
  assert.equal(changes, 1);
  runs.dropUntil(7);
  assert.equal(runs.of(["A", "B"]), undefined);
  runs.dropUntil(8);
  assert.equal(changes, 2);
  closing.abort();
  runs.show(new Map(), 9);
  assert.equal(changes, 2);
});

test("a newer text takes the place of an older one whose answer comes late", () => {
  const runs = new DirectRuns();
  runs.show(new Map([["A", run("old")]]), 7);
  runs.show(new Map([["A", run("new")]]), 8);
  runs.dropUntil(7);
  assert.equal(runs.of(["A"])?.layers, "new");
});

test("a page has one set of runs", () => {
  const page = {};
  assert.equal(directRunsOf(page), directRunsOf(page));
  assert.notEqual(directRunsOf(page), directRunsOf({}));
});
