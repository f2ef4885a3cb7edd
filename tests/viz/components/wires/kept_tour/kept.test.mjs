import assert from "node:assert/strict";
import test from "node:test";
import { Tours } from "../../../../../viz/components/wires/kept_tour/kept.mjs";
import { storage } from "../../made_up.mjs";

/** What a session sends before it has received what is stored. @param {string} visit */
const opened = (visit, awaited = true) => ({ name: "own-1", text: null, revision: 0, visit, awaited });
/** @param {string} text @param {number} [revision] */
const sent = (text, revision = 1, visit = "one", name = "own-1") => ({ name, text, revision, visit, awaited: true });

test("a session receives once what was stored before it", () => {
  const shared = storage();
  const page = new Tours(shared);
  assert.deepEqual(page.receive(opened("one")), { visit: "one", tours: [] });
  assert.equal(page.receive(sent("# T")), null);
  assert.equal(page.receive(opened("one")), null);
  const stored = [["own-1", "# T"]];
  assert.deepEqual(new Tours(shared).receive(opened("two")), { visit: "two", tours: stored }, "in another tab");
  assert.deepEqual(page.receive(opened("two")), { visit: "two", tours: stored }, "after a restart of the server");
  page.store("");
  assert.deepEqual(new Tours(shared).receive(opened("three"))?.tours, []);
});

test("a session that waits for no tour receives only stored ones", () => {
  const page = new Tours(storage());
  assert.equal(page.receive(opened("one", false)), null);
  assert.deepEqual(page.receive(opened("one"))?.tours, [], "it waits from now on");
  page.store("# T");
  assert.equal(page.receive(opened("two", false))?.tours.length, 1);
});

test("several tours are stored, the one changed last first", () => {
  const shared = storage();
  const page = new Tours(shared);
  const stored = () => new Tours(shared).receive(opened("later"))?.tours;
  page.receive(sent("# 1"));
  page.receive(sent("# 2", 1, "one", "own-2"));
  page.receive(sent("# 1, again", 2));
  assert.deepEqual(stored(), [
    ["own-1", "# 1, again"],
    ["own-2", "# 2"],
  ]);
  page.receive(sent("", 2, "one", "own-2"));
  assert.deepEqual(stored(), [["own-1", "# 1, again"]], "deleted");
});

test("a tour that a session only shows is not stored again over another tab's change", () => {
  const shared = storage();
  new Tours(shared).receive(sent("# T"));
  const [one, two] = [new Tours(shared), new Tours(shared)];
  one.receive(opened("two"));
  two.receive(opened("three"));
  two.receive(sent("# T, changed", 1, "three"));
  one.receive(sent("# T", 0, "two"));
  assert.deepEqual(new Tours(shared).receive(opened("later"))?.tours, [["own-1", "# T, changed"]]);
});

test("what was typed is newer than the text of the same revision", () => {
  const shared = storage();
  const page = new Tours(shared);
  const stored = () => new Tours(shared).receive(opened("two"))?.tours[0][1];
  page.receive(sent("# T", 1));
  page.store("# Typed");
  page.receive(sent("# Ty", 1));
  assert.equal(stored(), "# Typed");
  page.receive(sent("# T", 2));
  assert.equal(stored(), "# T", "undone");
});

test("the only tour of an older version is among the stored ones", () => {
  const shared = storage();
  shared.setItem("headlight.tour", "# Old");
  const page = new Tours(shared);
  assert.deepEqual(page.receive(opened("one"))?.tours, [["own", "# Old"]]);
  page.receive(sent("# New"));
  assert.deepEqual(new Tours(shared).receive(opened("two"))?.tours, [
    ["own-1", "# New"],
    ["own", "# Old"],
  ]);
});

test("without room the last text stays, and without storage none; both are reported", () => {
  const shared = storage(40);
  const page = new Tours(shared);
  page.receive(sent("# T"));
  assert.equal(page.isRefused, false);
  page.store("# T".repeat(20));
  assert.equal(page.isRefused, true);
  const denied = new Tours(null);
  denied.receive(sent("# T"));
  assert.equal(denied.isRefused, true);
  assert.deepEqual(new Tours(shared).receive(opened("two"))?.tours, [["own-1", "# T"]]);
  assert.deepEqual(new Tours(null).receive(opened("two"))?.tours, []);
});
