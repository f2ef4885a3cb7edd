// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { Keeper, fieldOf } from "../../../../viz/components/kept_tour/kept.mjs";
import { storage } from "../made_up.mjs";

test("a session is given the tour that was kept before it, once", () => {
  const tab = storage();
  const page = new Keeper(tab);
  assert.deepEqual(page.receive({ text: null, visit: "one", awaited: true }), {
    visit: "one",
    text: "",
    draft: null,
    older: [],
  });
  assert.equal(page.receive({ text: "# T", visit: "one", awaited: true }), null);
  assert.equal(page.receive({ text: null, visit: "one", awaited: true }), null);
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two", awaited: true }), {
    visit: "two",
    text: "# T",
    draft: null,
    older: [],
  });
});

test("a session that waits for nothing hears of what was kept alone", () => {
  const tab = storage();
  const page = new Keeper(tab);
  const hears = { visit: "one", awaited: false };
  assert.equal(page.receive({ text: null, ...hears }), null);
  assert.deepEqual(page.receive({ text: null, visit: "one", awaited: true })?.text, "", "it waits from now on");
  assert.equal(page.receive({ text: "# T", ...hears }), null);
  assert.equal(new Keeper(tab).receive({ text: null, visit: "two", awaited: false })?.text, "# T");
  const begun = new Keeper(storage());
  begun.receive({ text: "# T", ...hears });
  begun.note("stop_0_title", "Half");
  assert.equal(begun.receive({ text: "# T", ...hears }), null, "what this session types is no news to it");
  begun.receive({ text: "", ...hears });
  begun.note("tour_text_title", "Half");
  assert.equal(new Keeper(begun.storage).receive({ text: null, ...hears })?.draft?.text, "Half");
});

test("a server that was started again is given it by the page that stayed open", () => {
  const page = new Keeper(storage());
  page.receive({ text: "# T", visit: "one", awaited: true });
  assert.deepEqual(page.receive({ text: null, visit: "two", awaited: true }), {
    visit: "two",
    text: "# T",
    draft: null,
    older: [],
  });
});

test("a tour that is begun before the kept one has come does not replace it unseen", () => {
  const tab = storage();
  new Keeper(tab).receive({ text: "# Old", visit: "one", awaited: true });
  assert.deepEqual(new Keeper(tab).receive({ text: "# New", visit: "two", awaited: true }), {
    visit: "two",
    text: "# Old",
    draft: null,
    older: [],
  });
});

test("a tour that was deleted is forgotten", () => {
  const tab = storage();
  const page = new Keeper(tab);
  page.receive({ text: "# T", visit: "one", awaited: true });
  page.receive({ text: "", visit: "one", awaited: true });
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two", awaited: true }), {
    visit: "two",
    text: "",
    draft: null,
    older: [],
  });
});

test("without room or without a storage none is kept, rather than an older one", () => {
  const tab = storage(10);
  const page = new Keeper(tab);
  page.receive({ text: "# T", visit: "one", awaited: true });
  page.receive({ text: "# T".repeat(9), visit: "one", awaited: true });
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two", awaited: true }), {
    visit: "two",
    text: "",
    draft: null,
    older: [],
  });
  assert.deepEqual(new Keeper(null).receive({ text: "# T", visit: "two", awaited: true }), {
    visit: "two",
    text: "",
    draft: null,
    older: [],
  });
});

test("what is being typed is kept until the tour changes", () => {
  const tab = storage();
  const page = new Keeper(tab);
  page.receive({ text: "# T", visit: "one", awaited: true });
  page.note("stop_0_title", "Hal");
  page.note("stop_0_title", "Half");
  page.receive({ text: "# T", visit: "one", awaited: true });
  const draft = { field: "stop_0_title", text: "Half" };
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two", awaited: true }), {
    visit: "two",
    text: "# T",
    draft,
    older: [],
  });
  page.receive({ text: "# T, half", visit: "one", awaited: true });
  assert.equal(new Keeper(tab).receive({ text: null, visit: "two", awaited: true })?.draft, null);
});

/** @param {import("../../../../viz/components/shared/tab_storage.mjs").TabStorage} shared */
const tabOf = (shared) => new Keeper(storage(), shared);

test("another tab is given the tour that was changed last", () => {
  const shared = storage();
  const [one, two] = [tabOf(shared), tabOf(shared)];
  one.receive({ text: "# One", visit: "1", awaited: false });
  two.receive({ text: "# Two", visit: "2", awaited: false });
  const given = tabOf(shared).receive({ text: null, visit: "3", awaited: false });
  assert.deepEqual([given?.text, given?.older], ["# Two", ["# One"]]);
  one.receive({ text: "# One, later", visit: "1", awaited: false });
  assert.deepEqual(tabOf(shared).receive({ text: null, visit: "3", awaited: true })?.older, ["# Two"]);
});

test("a tab that is loaded again has its own tour, whichever was changed last", () => {
  const [shared, tab] = [storage(), storage()];
  new Keeper(tab, shared).receive({ text: "# One", visit: "1", awaited: false });
  tabOf(shared).receive({ text: "# Two", visit: "2", awaited: false });
  const given = new Keeper(tab, shared).receive({ text: null, visit: "3", awaited: false });
  assert.deepEqual([given?.text, given?.older], ["# One", []]);
});

test("a tour that is taken over, changed and deleted is stored once, and then not", () => {
  const shared = storage();
  tabOf(shared).receive({ text: "# One", visit: "1", awaited: false });
  const next = tabOf(shared);
  assert.equal(next.receive({ text: null, visit: "2", awaited: false })?.text, "# One");
  for (const text of ["# One", "# One, changed"]) next.receive({ text, visit: "2", awaited: false });
  const given = tabOf(shared).receive({ text: null, visit: "3", awaited: false });
  assert.deepEqual([given?.text, given?.older], ["# One, changed", []]);
  next.receive({ text: "", visit: "2", awaited: false });
  assert.equal(tabOf(shared).receive({ text: null, visit: "4", awaited: true })?.text, "");
});

test("the tours of the last three tabs are stored", () => {
  const shared = storage();
  for (const name of ["1", "2", "3", "4"]) tabOf(shared).receive({ text: `# ${name}`, visit: name, awaited: false });
  const given = tabOf(shared).receive({ text: null, visit: "5", awaited: false });
  assert.deepEqual([given?.text, given?.older], ["# 4", ["# 2", "# 3"]]);
});

test("what is no list of tours is none", () => {
  for (const text of ["{", "null", "3", '[{"tab": 1, "text": "x"}, null]']) {
    const shared = storage();
    shared.setItem("headlight.tours", text);
    assert.equal(tabOf(shared).receive({ text: null, visit: "1", awaited: true })?.text, "", text);
  }
});

test("a field that was typed into before another does not take the other's draft with it", () => {
  const tab = storage();
  const page = new Keeper(tab);
  const draft = () => new Keeper(tab).receive({ text: null, visit: "two", awaited: true })?.draft?.text;
  page.receive({ text: "# T", visit: "one", awaited: true });
  page.note("tour_text_title", "Title");
  page.note("stop_0_question", "Question");
  page.receive({ text: "# Title", visit: "one", awaited: true });
  assert.equal(draft(), "Question");
  page.receive({ text: "# Title, question", visit: "one", awaited: true });
  assert.equal(draft(), undefined);
});

test("what is no draft is none", () => {
  const tab = storage();
  for (const text of ["{", "null", "3", '{"field": 1, "text": "x"}']) {
    tab.setItem("headlight.tour draft", text);
    assert.equal(new Keeper(tab).receive({ text: null, visit: "one", awaited: true })?.draft, null);
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
