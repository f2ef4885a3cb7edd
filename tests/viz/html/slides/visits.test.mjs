import assert from "node:assert/strict";
import { test } from "node:test";
import { actionOf, hashOf, isOfClicker, visitAfter, visitIn } from "../../../../viz/html/browser/slides/visits.mjs";

const SLIDES = [{ asks: true }, { asks: false }, { asks: true }];

/** @param {string} key @param {object} [more] */
const press = (key, more = {}) =>
  actionOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

test("keys lead through the stops", () => {
  for (const key of ["ArrowRight", " ", "PageDown"]) assert.deepEqual(press(key), { by: 1 });
  for (const key of ["ArrowLeft", "PageUp"]) assert.deepEqual(press(key), { by: -1 });
  assert.deepEqual(press(" ", { shiftKey: true }), { by: -1 });
  assert.deepEqual(press("Home"), { to: 1 });
  assert.equal(press("N"), "notes");
  assert.equal(press("b"), "dark");
  assert.equal(press("."), "pointer");
  assert.equal(press("x"), null);
  assert.equal(press("ArrowRight", { altKey: true }), null); // the browser's own
  assert.equal(press("toString"), null);
  assert.deepEqual(["PageUp", "PageDown", " "].map(isOfClicker), [true, true, false]);
});

test("a question comes first, and the next press answers it", () => {
  let visit = { at: 1, answered: false };
  const seen = [];
  for (;;) {
    seen.push(hashOf(visit, SLIDES));
    const next = visitAfter(SLIDES, visit, { by: 1 });
    if (!next) break;
    visit = next;
  }
  assert.deepEqual(seen, ["#1", "#1a", "#2", "#3", "#3a"]);
  const back = [];
  for (let next = visitAfter(SLIDES, visit, { by: -1 }); next; next = visitAfter(SLIDES, next, { by: -1 })) {
    back.push(hashOf(next, SLIDES));
  }
  assert.deepEqual(back, ["#3", "#2", "#1a", "#1"]);
});

test("the ends are the first and the last stop", () => {
  assert.deepEqual(visitAfter(SLIDES, { at: 2, answered: true }, { to: Infinity }), { at: 3, answered: false });
  assert.deepEqual(visitAfter(SLIDES, { at: 2, answered: true }, { to: 1 }), { at: 1, answered: false });
});

test("an address names a stop, or the nearest", () => {
  assert.deepEqual(visitIn("#3a", SLIDES), { at: 3, answered: true });
  assert.deepEqual(visitIn("#3", SLIDES), { at: 3, answered: false });
  assert.deepEqual(visitIn("#2", SLIDES), { at: 2, answered: true });
  assert.deepEqual(visitIn("#99", SLIDES), { at: 3, answered: false });
  for (const hash of ["", "#", "#0", "#x", "#1b", "#-1"]) assert.equal(visitIn(hash, SLIDES).at, 1);
});
