import assert from "node:assert/strict";
import test from "node:test";
import { Tour } from "../../../../../viz/components/wires/kept_tour/kept.mjs";
import { storage } from "../../made_up.mjs";

/** What a session sends before it has received what is stored. @param {string} visit */
const opened = (visit, awaited = true) => ({ text: null, revision: 0, visit, awaited });
/** @param {string} text @param {number} [revision] */
const sent = (text, revision = 1, visit = "one") => ({ text, revision, visit, awaited: true });

test("a session receives once what was stored before it", () => {
  const tab = storage();
  const page = new Tour(tab);
  assert.deepEqual(page.receive(opened("one")), { visit: "one", text: "" });
  assert.equal(page.receive(sent("# T")), null);
  assert.equal(page.receive(opened("one")), null);
  assert.deepEqual(new Tour(tab).receive(opened("two")), { visit: "two", text: "# T" }, "after a reload");
  assert.deepEqual(page.receive(opened("two")), { visit: "two", text: "# T" }, "after a restart of the server");
  page.store("");
  assert.deepEqual(new Tour(tab).receive(opened("three")), { visit: "three", text: "" });
});

test("a session that waits for no tour receives only a stored one", () => {
  const page = new Tour(storage());
  assert.equal(page.receive(opened("one", false)), null);
  assert.equal(page.receive(opened("one"))?.text, "", "it waits from now on");
  page.store("# T");
  assert.equal(page.receive(opened("two", false))?.text, "# T");
});

test("a tour begun before the stored one replaces it", () => {
  const tab = storage();
  new Tour(tab).store("# Old");
  assert.equal(new Tour(tab).receive(sent("# New"))?.text, "# Old");
  assert.equal(new Tour(tab).receive(opened("two"))?.text, "# New");
  assert.equal(new Tour(storage()).receive(sent("# New")), null, "nothing was stored");
});

test("what was typed is newer than the text of the same revision", () => {
  const tab = storage();
  const page = new Tour(tab);
  const stored = () => new Tour(tab).receive(opened("two"))?.text;
  page.receive(sent("# T", 1));
  page.store("# Typed");
  page.receive(sent("# Ty", 1));
  assert.equal(stored(), "# Typed");
  page.receive(sent("# T", 2));
  assert.equal(stored(), "# T", "undone");
});

test("without room or storage no text is stored", () => {
  const tab = storage(20);
  const page = new Tour(tab);
  page.store("# T");
  page.store("# T".repeat(9));
  assert.equal(new Tour(tab).receive(opened("two"))?.text, "");
  assert.equal(new Tour(null).receive(opened("two"))?.text, "");
});

test("another tab receives the tour that was changed last", () => {
  const shared = storage();
  const one = new Tour(storage(), shared);
  one.store("# 1");
  new Tour(storage(), shared).store("# 2");
  assert.equal(new Tour(storage(), shared).receive(opened("new"))?.text, "# 2");
  assert.equal(one.receive(opened("again"))?.text, "# 1", "its own");
  one.store("");
  assert.equal(new Tour(storage(), shared).receive(opened("new"))?.text, "# 2", "another tab's stays");
});
