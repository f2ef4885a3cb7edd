// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { Keeper, fieldOf } from "../../../../viz/components/kept_tour/kept.mjs";
import { storage } from "../made_up.mjs";

test("a session is given the tour that was kept before it, once", () => {
  const tab = storage();
  const page = new Keeper(tab);
  assert.deepEqual(page.receive({ text: null, visit: "one" }), { visit: "one", text: "", draft: null });
  assert.equal(page.receive({ text: "# T", visit: "one" }), null);
  assert.equal(page.receive({ text: null, visit: "one" }), null);
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two" }), { visit: "two", text: "# T", draft: null });
});

test("a server that was started again is given it by the page that stayed open", () => {
  const page = new Keeper(storage());
  page.receive({ text: "# T", visit: "one" });
  assert.deepEqual(page.receive({ text: null, visit: "two" }), { visit: "two", text: "# T", draft: null });
});

test("a tour that is begun before the kept one has come does not replace it unseen", () => {
  const tab = storage();
  new Keeper(tab).receive({ text: "# Old", visit: "one" });
  assert.deepEqual(new Keeper(tab).receive({ text: "# New", visit: "two" }), {
    visit: "two",
    text: "# Old",
    draft: null,
  });
});

test("a tour that was deleted is forgotten", () => {
  const tab = storage();
  const page = new Keeper(tab);
  page.receive({ text: "# T", visit: "one" });
  page.receive({ text: "", visit: "one" });
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two" }), { visit: "two", text: "", draft: null });
});

test("without room or without a storage none is kept, rather than an older one", () => {
  const tab = storage(10);
  const page = new Keeper(tab);
  page.receive({ text: "# T", visit: "one" });
  page.receive({ text: "# T".repeat(9), visit: "one" });
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two" }), { visit: "two", text: "", draft: null });
  assert.deepEqual(new Keeper(null).receive({ text: "# T", visit: "two" }), { visit: "two", text: "", draft: null });
});

test("what is being typed is kept until the tour changes", () => {
  const tab = storage();
  const page = new Keeper(tab);
  page.receive({ text: "# T", visit: "one" });
  page.note("stop_0_title", "Hal");
  page.note("stop_0_title", "Half");
  page.receive({ text: "# T", visit: "one" });
  const draft = { field: "stop_0_title", text: "Half" };
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two" }), { visit: "two", text: "# T", draft });
  page.receive({ text: "# T, half", visit: "one" });
  assert.equal(new Keeper(tab).receive({ text: null, visit: "two" })?.draft, null);
});

test("what is no draft is none", () => {
  const tab = storage();
  for (const text of ["{", "null", "3", '{"field": 1, "text": "x"}']) {
    tab.setItem("headlight.tour draft", text);
    assert.equal(new Keeper(tab).receive({ text: null, visit: "one" })?.draft, null);
  }
});

test("a field is known by Streamlit's class of it", () => {
  /** @param {string} classes */
  const inside = (classes) =>
    fieldOf(/** @type {Element} */ (/** @type {unknown} */ ({ closest: () => ({ classList: classes.split(" ") }) })));
  assert.equal(inside("stElementContainer st-key-stop_12_words e1"), "stop_12_words");
  assert.equal(inside("st-key-tour_text_title"), "tour_text_title");
  assert.equal(inside("st-key-stop_list"), null);
  const nowhere = /** @type {Element} */ (/** @type {unknown} */ ({ closest: () => null }));
  assert.equal(fieldOf(nowhere), null);
});
