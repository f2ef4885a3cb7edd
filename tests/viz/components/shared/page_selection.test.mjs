// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { PageSelection, selectionOf } from "../../../../viz/components/shared/page_selection.mjs";
import { SELECTION } from "../made_up.mjs";

/** A selection that Python has told, with changes numbered from 1 on, and how often it called back. */
function told() {
  const selection = new PageSelection(0);
  selection.confirm(SELECTION, null);
  let calls = 0;
  selection.subscribe(() => calls++);
  return { selection, calls: () => calls };
}

test("before Python has told its part there is nothing to show", () => {
  const selection = new PageSelection(0);
  selection.change({ layer: 3 });
  assert.deepEqual([selection.chosen, selection.shown], [null, null]);
  selection.confirm(SELECTION, null);
  assert.deepEqual(selection.shown, { ...SELECTION, layer: 3 });
});

test("a change shows at once, and stays until Python has read it", () => {
  const { selection } = told();
  selection.change({ layer: 2 });
  selection.change({ head: 7 });
  assert.deepEqual(selection.chosen, { ...SELECTION, layer: 2, head: 7 });
  assert.equal(selection.unread, 2);
  selection.confirm(SELECTION, null);
  assert.deepEqual(selection.chosen, { ...SELECTION, layer: 2, head: 7 });
  selection.confirm({ ...SELECTION, layer: 1 }, 1);
  assert.deepEqual(selection.chosen, { ...SELECTION, layer: 1, head: 7 });
  assert.deepEqual(selection.pending, { head: 7 });
  selection.confirm({ ...SELECTION, layer: 1, head: 5 }, 2);
  assert.deepEqual(selection.chosen, { ...SELECTION, layer: 1, head: 5 });
  assert.equal(selection.unread, null);
});

test("what was changed again after Python read it is the newer one", () => {
  const { selection } = told();
  selection.change({ head: 1 });
  selection.change({ head: 2 });
  selection.confirm({ ...SELECTION, head: 1 }, 1);
  assert.equal(selection.chosen?.head, 2);
});

test("a preview is seen and not chosen, and its end restores what was there", () => {
  const { selection } = told();
  selection.change({ heads: "0.1" });
  selection.preview({ layer: 5, head: 3 });
  assert.deepEqual(selection.shown, { ...SELECTION, layer: 5, head: 3, heads: "" });
  assert.deepEqual(selection.chosen, { ...SELECTION, heads: "0.1" });
  assert.deepEqual(selection.pending, { heads: "0.1" });
  selection.preview(null);
  assert.deepEqual(selection.shown, selection.chosen);
});

test("nobody is called where nothing changes, or after the end of a subscription", () => {
  const { selection, calls } = told();
  const end = selection.subscribe(() => assert.fail("called after the end"));
  end();
  selection.change({ head: 7 });
  selection.confirm(SELECTION, null);
  selection.preview(null);
  assert.equal(calls(), 1);
  selection.confirm({ ...SELECTION, head: 7 }, 1);
  assert.equal(calls(), 2); // it is read now
});

test("an owner has a selection for each scope, and numbers go on from the clock", () => {
  const owner = {};
  const before = Date.now();
  assert.equal(selectionOf("encoder", owner), selectionOf("encoder", owner));
  assert.notEqual(selectionOf("encoder", owner), selectionOf("decoder", owner));
  assert.notEqual(selectionOf("encoder", owner), selectionOf("encoder", {}));
  assert.ok(selectionOf("encoder", owner).nextNumber() > before);
});

test("whoever chooses or previews another head is pointed at nothing", () => {
  /** @type {import("../../../../viz/components/shared/points.mjs").Point[]} */
  const points = [{ kind: "head", layer: 0, head: 4 }];
  const selection = new PageSelection(0);
  selection.confirm({ ...SELECTION, points }, null);
  assert.deepEqual([selection.chosen?.points, selection.shown?.points], [points, points]);
  selection.preview({ layer: 1, head: 1 });
  assert.deepEqual([selection.chosen?.points, selection.shown?.points], [points, []]);
  selection.preview(null);
  selection.change({ layer: 1 });
  assert.deepEqual(selection.chosen?.points, []);
  selection.confirm({ ...SELECTION, points }, 1);
  assert.deepEqual(selection.chosen?.points, points);
});

/** @param {string} layers */
function run(layers) {
  return { layers, map: null, strip: { tokens: [], tags: [], words: [], n_sentences: 1, run: "A" } };
}

test("a run is shown until Python has drawn its text, or a later one", () => {
  const selection = new PageSelection(0);
  /** @type {string[]} */
  const calls = [];
  const end = selection.subscribe((what) => calls.push(what));
  selection.showRuns(new Map([["A,B", run("pair")]]), 7);
  assert.deepEqual([selection.runOf(["A", "B"])?.layers, selection.runOf(["A"]), selection.isDrawn], ["pair", undefined, false]); // prettier-ignore
  for (const earlier of [null, 6]) selection.dropRuns(earlier);
  assert.equal(selection.runOf(["A", "B"])?.layers, "pair");
  assert.deepEqual(calls, ["runs"]);
  selection.dropRuns(7);
  assert.deepEqual([selection.runOf(["A", "B"]), selection.isDrawn], [undefined, true]);
  selection.dropRuns(8);
  assert.deepEqual(calls, ["runs", "runs"]);
  end();
  selection.showRuns(new Map(), 9);
  assert.equal(calls.length, 2);
});

test("a newer text takes the place of an older one whose answer comes late", () => {
  const selection = new PageSelection(0);
  selection.showRuns(new Map([["A", run("old")]]), 7);
  selection.showRuns(new Map([["A", run("new")]]), 8);
  selection.dropRuns(7);
  assert.equal(selection.runOf(["A"])?.layers, "new");
});
