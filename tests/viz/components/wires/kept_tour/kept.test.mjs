import assert from "node:assert/strict";
import test from "node:test";
import { Tours } from "../../../../../viz/components/wires/kept_tour/kept.mjs";
import { storage } from "../../made_up.mjs";

/** What a session sends before it has received what is stored. @param {string} visit */
const opened = (visit, awaited = true) => ({ text: null, revision: 0, visit, awaited });
/** @param {string} text @param {number} [revision] */
const sent = (text, revision = 1, visit = "one") => ({ text, revision, visit, awaited: true });
/** A tab with a text. @param {import("../../../../../viz/components/shared/tab_storage.mjs").TabStorage} shared */
const tabWith = (shared, text = "") => {
  const tours = new Tours(storage(), shared);
  if (text) tours.store(text);
  return tours;
};

test("a session receives once what was stored before it", () => {
  const tab = storage();
  const page = new Tours(tab);
  assert.deepEqual(page.receive(opened("one")), { visit: "one", texts: [] });
  assert.equal(page.receive(sent("# T")), null);
  assert.equal(page.receive(opened("one")), null);
  assert.deepEqual(new Tours(tab).receive(opened("two")), { visit: "two", texts: ["# T"] }, "after a reload");
  assert.deepEqual(page.receive(opened("two")), { visit: "two", texts: ["# T"] }, "after a restart of the server");
  page.store("");
  assert.deepEqual(new Tours(tab).receive(opened("three")), { visit: "three", texts: [] });
});

test("a session that waits for no tour receives only stored ones", () => {
  const page = new Tours(storage());
  assert.equal(page.receive(opened("one", false)), null);
  assert.deepEqual(page.receive(opened("one"))?.texts, [], "it waits from now on");
  page.store("# T");
  assert.deepEqual(page.receive(opened("two", false))?.texts, ["# T"]);
});

test("a tour begun before the stored one replaces it", () => {
  const tab = storage();
  new Tours(tab).store("# Old");
  assert.deepEqual(new Tours(tab).receive(sent("# New"))?.texts, ["# Old"]);
  assert.deepEqual(new Tours(tab).receive(opened("two"))?.texts, ["# New"]);
  assert.equal(new Tours(storage()).receive(sent("# New")), null, "nothing was stored");
});

test("what was typed is newer than the text of the same revision", () => {
  const tab = storage();
  const page = new Tours(tab);
  const stored = () => new Tours(tab).receive(opened("two"))?.texts;
  page.receive(sent("# T", 1));
  page.store("# Typed");
  page.receive(sent("# Ty", 1));
  assert.deepEqual(stored(), ["# Typed"]);
  page.receive(sent("# T", 2));
  assert.deepEqual(stored(), ["# T"], "undone");
});

test("without room or storage no text is stored", () => {
  const tab = storage(20);
  const page = new Tours(tab);
  page.store("# T");
  page.store("# T".repeat(9));
  assert.deepEqual(new Tours(tab).receive(opened("two"))?.texts, []);
  assert.deepEqual(new Tours(null).receive(opened("two"))?.texts, []);
});

test("another tab receives the last tours of three tabs", () => {
  const shared = storage();
  const [one] = ["# 1", "# 2", "# 3", "# 4"].map((text) => tabWith(shared, text));
  const receive = () => tabWith(shared).receive(opened("new"))?.texts;
  assert.deepEqual(receive(), ["# 2", "# 3", "# 4"]);
  assert.deepEqual(one.receive(opened("again"))?.texts, ["# 1"], "its own");
  one.store("# 1, later");
  assert.deepEqual(receive(), ["# 3", "# 4", "# 1, later"]);
});

test("a tour taken over and changed is stored once", () => {
  const shared = storage();
  tabWith(shared, "# One");
  const next = tabWith(shared);
  for (const text of ["# One", "# One, changed"]) next.store(text);
  assert.deepEqual(tabWith(shared).receive(opened("two"))?.texts, ["# One, changed"]);
  next.store("");
  assert.deepEqual(tabWith(shared).receive(opened("two"))?.texts, []);
});

test("a stored list may hold anything", () => {
  /** @type {[string, string[]][]} */
  const lists = [
    ["{", []],
    ["null", []],
    ["3", []],
    ['[3, null, {"tab": "x", "text": "# T"}]', ["# T"]],
  ];
  for (const [json, texts] of lists) {
    const shared = storage();
    shared.setItem("headlight.tours", json);
    assert.deepEqual(tabWith(shared).receive(opened("one"))?.texts, texts, json);
  }
});
