import assert from "node:assert/strict";
import { test } from "node:test";
import { HELP, actionOf, disturbs } from "../../../../viz/components/stage/keys.mjs";

const PLAIN = {
  ...{ key: "p", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...{ repeat: false, defaultPrevented: false },
};
const STAGE = { on: true, hasTour: true };

/** @param {string} key @param {Partial<typeof PLAIN & typeof STAGE>} [changes] */
function actionAt(key, changes = {}) {
  const { on, hasTour, ...event } = { ...STAGE, ...changes };
  return actionOf({ ...PLAIN, key, ...event }, { on, hasTour });
}

test("on the page, P alone does something", () => {
  for (const key of ["p", "P"]) assert.equal(actionAt(key, { on: false }), "present", key);
  for (const key of ["b", ".", "?", "f", "n", "v", "t", "Escape", " ", "ArrowUp", "PageDown"]) {
    assert.equal(actionAt(key, { on: false }), null, key);
  }
});

test("on stage every key of the help works", () => {
  const expected = {
    ...{ ArrowUp: { layer: -1 }, ArrowDown: { layer: 1 }, ArrowLeft: { head: -1 }, ArrowRight: { head: 1 } },
    ...{ " ": { tour: 1 }, PageDown: { tour: 1 }, PageUp: { tour: -1 } },
    ...{
      b: "blank",
      B: "blank",
      ".": "pointer",
      "?": "keys",
      f: "full screen",
      n: "notes",
      v: "views",
      t: "texts",
      p: "end",
      Escape: "end",
    },
  };
  for (const [key, action] of Object.entries(expected)) assert.deepEqual(actionAt(key), action, key);
  assert.ok(HELP.every((line) => line.every(Boolean)));
});

test("without a tour its keys are the page's, which they scroll", () => {
  for (const key of [" ", "PageDown", "PageUp"]) assert.equal(actionAt(key, { hasTour: false }), null, key);
});

test("Shift with an arrow scrolls", () => {
  assert.deepEqual(actionAt("ArrowDown", { shiftKey: true }), { scroll: 1 });
  assert.deepEqual(actionAt("ArrowUp", { shiftKey: true }), { scroll: -1 });
  assert.equal(actionAt("ArrowLeft", { shiftKey: true }), null);
  assert.deepEqual(actionAt("Home"), { scroll: -Infinity });
  assert.deepEqual(actionAt("End"), { scroll: Infinity });
});

test("shortcuts of the browser and keys handled by a view do nothing", () => {
  for (const changes of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { defaultPrevented: true }]) {
    for (const key of ["p", "ArrowUp", "Escape", " "]) assert.equal(actionAt(key, changes), null, key);
  }
});

test("a key held down repeats moves and nothing else", () => {
  assert.deepEqual(actionAt("ArrowDown", { repeat: true }), { layer: 1 });
  for (const key of [" ", "b", "Escape", "f"]) assert.equal(actionAt(key, { repeat: true }), null, key);
  assert.equal(actionAt("p", { on: false, repeat: true }), null);
});

test("Streamlit's own shortcuts disturb a talk, those of the browser do not", () => {
  for (const key of ["c", "C", "r"]) assert.ok(disturbs({ ...PLAIN, key }), key);
  assert.ok(!disturbs({ ...PLAIN, key: "c", ctrlKey: true }));
  assert.ok(!disturbs({ ...PLAIN, key: "x" }));
});
