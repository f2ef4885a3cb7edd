import assert from "node:assert/strict";
import { test } from "node:test";
import { PageSelection, selectionOf } from "../../../../viz/components/shared/page_selection.mjs";
import { SELECTION } from "../made_up.mjs";
/** @import { TextsUpdate } from "../../../../viz/components/shared/page_selection.mjs" */

const OLD = { a: "old", b: "" };
const NEW = { a: "new", b: "" };
const MARKS = { a: { read: "new", cut: false, pieces: [] } };

/** A confirmed selection whose changes are numbered from 1, and the number of its callbacks. */
function confirmed() {
  const selection = new PageSelection(0);
  selection.confirm(SELECTION, null);
  let calls = 0;
  selection.subscribe(() => calls++);
  return { selection, calls: () => calls };
}

test("there is no selection before Python sends one", () => {
  const selection = new PageSelection(0);
  selection.change({ layer: 3 });
  assert.deepEqual([selection.chosen, selection.shown], [null, null]);
  selection.confirm(SELECTION, null);
  assert.deepEqual(selection.shown, { ...SELECTION, layer: 3 });
});

test("a change shows at once, and stays until Python has read it", () => {
  const { selection } = confirmed();
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

test("a cut link is asked for until Python has read it, and not while its weight is dragged", () => {
  const { selection } = confirmed();
  selection.change({ layer: 2 });
  assert.equal(selection.asksForCut, false);
  selection.change({ cut: "A2-1x35" }, { isLive: true });
  assert.equal(selection.asksForCut, false);
  selection.change({ cut: "A2-1" });
  assert.equal(selection.asksForCut, true);
  selection.confirm(SELECTION, 2);
  assert.equal(selection.asksForCut, true);
  selection.confirm(SELECTION, 3);
  assert.equal(selection.asksForCut, false);
});

test("a preview is shown but not selected", () => {
  const { selection } = confirmed();
  selection.change({ heads: "0.1" });
  selection.preview({ layer: 5, head: 3 });
  assert.deepEqual(selection.shown, { ...SELECTION, layer: 5, head: 3, heads: "" });
  assert.deepEqual(selection.chosen, { ...SELECTION, heads: "0.1" });
  assert.deepEqual(selection.pending, { heads: "0.1" });
  selection.preview(null);
  assert.deepEqual(selection.shown, selection.chosen);
});

test("subscribers are notified only of changes, until they unsubscribe", () => {
  const { selection, calls } = confirmed();
  const subscription = new AbortController();
  selection.subscribe(() => assert.fail("called after the end"), subscription.signal);
  subscription.abort();
  selection.change({ head: 7 });
  selection.confirm(SELECTION, null);
  selection.preview(null);
  assert.equal(calls(), 1);
  selection.confirm({ ...SELECTION, head: 7 }, 1);
  assert.equal(calls(), 2); // it is read now
});

test("an owner has a selection per scope; numbers start at the clock", () => {
  const owner = {};
  const before = Date.now();
  assert.equal(selectionOf("encoder", owner), selectionOf("encoder", owner));
  assert.notEqual(selectionOf("encoder", owner), selectionOf("decoder", owner));
  assert.notEqual(selectionOf("encoder", owner), selectionOf("encoder", {}));
  assert.ok(selectionOf("encoder", owner).nextNumber() > before);
});

test("a user change or preview clears the tour's highlight", () => {
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
  const subscription = new AbortController();
  selection.subscribe((what) => calls.push(what), subscription.signal);
  selection.showRuns(new Map([["A,B", run("pair")]]), MARKS, 7);
  const { marks, isDrawn } = selection;
  assert.deepEqual([selection.runOf(["A", "B"])?.layers, selection.runOf(["A"]), marks, isDrawn], ["pair", undefined, MARKS, false]); // prettier-ignore
  for (const earlier of [null, 6]) selection.confirmRuns({}, earlier);
  assert.deepEqual([selection.runOf(["A", "B"])?.layers, selection.marks], ["pair", MARKS]);
  selection.confirmRuns({}, 7);
  assert.deepEqual([selection.runOf(["A", "B"]), selection.marks, selection.isDrawn], [undefined, {}, true]);
  assert.deepEqual(calls, Array(4).fill("runs"));
  subscription.abort();
  selection.showRuns(new Map(), {}, 9);
  assert.equal(calls.length, 4);
});

// --- texts ---

/** @param {Partial<TextsUpdate>} [changes] */
const textsUpdate = (changes) => ({ texts: OLD, linked: OLD, held: false, visit: "v1", ...changes });

/** A selection with the old texts whose changes are numbered from 1. */
function opened() {
  const selection = new PageSelection(0);
  assert.equal(selection.confirmTexts(textsUpdate(), null), false);
  return selection;
}

test("an answer overwrites nothing that was typed after its message", () => {
  const selection = opened();
  selection.type({ a: "n", b: "" });
  selection.type(NEW);
  assert.equal(selection.typed, 2);
  for (const answered of [null, 1]) selection.confirmTexts(textsUpdate({ texts: { a: "n", b: "" } }), answered);
  assert.deepEqual(selection.texts, NEW);
  selection.confirmTexts(textsUpdate({ texts: { a: "example", b: "" } }), 2);
  assert.deepEqual([selection.texts, selection.typed], [{ a: "example", b: "" }, null]);
});

test("a repeated update that is older than the last changes nothing", () => {
  const selection = opened();
  selection.type({ a: "n", b: "" });
  selection.type(NEW);
  selection.confirmTexts(textsUpdate({ texts: NEW }), 2);
  assert.equal(selection.confirmTexts(textsUpdate(), 1), false);
  assert.equal(selection.confirmTexts(textsUpdate(), null), false);
  assert.deepEqual(selection.texts, NEW);
  selection.confirmTexts(textsUpdate({ texts: { a: "example", b: "" } }), 2);
  assert.deepEqual(selection.texts, { a: "example", b: "" });
  selection.confirmTexts(textsUpdate({ linked: NEW, visit: "v2" }), null);
  assert.deepEqual(selection.texts, OLD);
});

test("a new text drops a pin that is not read, and keeps a later one", () => {
  const { selection, calls } = confirmed();
  selection.confirmTexts(textsUpdate(), null);
  selection.change({ head: 7, query: 3, key: 4, pinned_in: "B" });
  selection.type(OLD);
  assert.deepEqual(selection.pending, { head: 7, query: 3, key: 4, pinned_in: "B" });
  selection.type(NEW);
  assert.deepEqual([selection.pending, calls()], [{ head: 7 }, 2]);
  selection.change({ query: 1 });
  assert.deepEqual(selection.unreadChanges?.changes, { head: 7, query: 1, ...NEW });
});

test("texts that Python replaces lose their direct runs", () => {
  const selection = opened();
  selection.type(NEW);
  selection.showRuns(new Map([["A", run("typed")]]), MARKS, 1);
  selection.confirmTexts(textsUpdate({ texts: NEW }), 1);
  assert.equal(selection.isDrawn, false);
  selection.confirmTexts(textsUpdate({ texts: { a: "example", b: "" } }), 1);
  assert.deepEqual([selection.isDrawn, selection.marks], [true, MARKS]);
  selection.confirmRuns({}, null);
  assert.deepEqual(selection.marks, {});
});

test("texts are held until they settle", () => {
  const selection = opened();
  selection.settle();
  assert.deepEqual([selection.isHeld, selection.typed], [false, null]);
  selection.type(NEW);
  assert.equal(selection.isHeld, true);
  selection.confirmTexts(textsUpdate({ texts: NEW, held: true }), 1);
  assert.deepEqual([selection.isHeld, selection.typed], [true, null]);
  selection.settle();
  assert.deepEqual([selection.isHeld, selection.unreadChanges], [false, { number: 2, changes: NEW }]);
});

test("a change of text is sent but does not notify views", () => {
  const { selection, calls } = confirmed();
  selection.type(NEW);
  assert.deepEqual([selection.unread, calls()], [null, 0]);
  selection.change({ head: 7 });
  assert.deepEqual(selection.unreadChanges, { number: 2, changes: { head: 7, ...NEW } });
  selection.confirm({ ...SELECTION, head: 7 }, 2);
  assert.deepEqual(selection.unreadChanges, { number: 1, changes: NEW });
  selection.confirmTexts(textsUpdate({ texts: NEW }), 2);
  assert.equal(selection.unreadChanges, null);
});

test("a draft holds texts that the address does not restore", () => {
  const selection = opened();
  assert.equal(selection.draft, null);
  selection.type(NEW);
  assert.deepEqual(selection.draft, { visit: "v1", linked: OLD, texts: NEW });
  selection.confirmTexts(textsUpdate({ texts: NEW, linked: NEW }), 1);
  assert.equal(selection.draft, null);
});

test("a draft is sent to a server that lost the page", () => {
  const selection = opened();
  selection.type(NEW);
  selection.confirmTexts(textsUpdate({ texts: NEW, held: true }), 1);
  assert.equal(selection.confirmTexts(textsUpdate({ visit: "v2" }), null), true);
  assert.deepEqual([selection.texts, selection.typed], [NEW, 2]);
  assert.equal(selection.confirmTexts(textsUpdate({ texts: NEW, visit: "v2" }), 2), false);
  assert.equal(selection.typed, null);
});

test("a page that was loaded again restores its draft", () => {
  const selection = new PageSelection(0);
  assert.equal(selection.confirmTexts(textsUpdate(), null, { visit: "v0", linked: OLD, texts: NEW }), true);
  assert.deepEqual(selection.texts, NEW);
});

test("a link with other texts, or a session that knows them, beats a draft", () => {
  const draft = { visit: "v0", linked: OLD, texts: NEW };
  const isRestored = (/** @type {object} */ changes, python = textsUpdate()) =>
    new PageSelection(0).confirmTexts(python, null, { ...draft, ...changes });
  assert.equal(isRestored({ linked: { a: "other", b: "" } }), false);
  assert.equal(isRestored({ visit: "v1" }), false);
  assert.equal(isRestored({}, textsUpdate({ texts: NEW })), false);
  assert.equal(isRestored({ linked: { source: "old" }, texts: { source: "new" } }), false);
});

test("after a lost message the fields accept Python's texts again", () => {
  const selection = opened();
  selection.type(NEW);
  const other = { a: "other", b: "" };
  assert.equal(selection.confirmTexts(textsUpdate({ texts: other, linked: other, visit: "v2" }), null), false);
  assert.deepEqual([selection.texts, selection.typed], [other, null]);
  selection.confirmTexts(textsUpdate({ visit: "v2" }), null);
  assert.deepEqual(selection.texts, OLD);
});

test("line breaks of other systems make no draft", () => {
  const selection = new PageSelection(0);
  const texts = { a: "one\r\ntwo\rthree", b: "" };
  selection.confirmTexts(textsUpdate({ texts, linked: texts }), null);
  assert.deepEqual([selection.texts, selection.draft], [{ a: "one\ntwo\nthree", b: "" }, null]);
});
