// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { Keeper } from "../../../../viz/components/kept_tour/kept.mjs";
import { storage } from "../made_up.mjs";

test("a session is given the tour that was kept before it, once", () => {
  const tab = storage();
  const page = new Keeper(tab);
  assert.deepEqual(page.receive({ text: null, visit: "one" }), { visit: "one", text: "" });
  assert.equal(page.receive({ text: "# T", visit: "one" }), null);
  assert.equal(page.receive({ text: null, visit: "one" }), null);
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two" }), { visit: "two", text: "# T" });
});

test("a server that was started again is given it by the page that stayed open", () => {
  const page = new Keeper(storage());
  page.receive({ text: "# T", visit: "one" });
  assert.deepEqual(page.receive({ text: null, visit: "two" }), { visit: "two", text: "# T" });
});

test("a tour that is begun before the kept one has come does not replace it unseen", () => {
  const tab = storage();
  new Keeper(tab).receive({ text: "# Old", visit: "one" });
  assert.deepEqual(new Keeper(tab).receive({ text: "# New", visit: "two" }), { visit: "two", text: "# Old" });
});

test("a tour that was deleted is forgotten", () => {
  const tab = storage();
  const page = new Keeper(tab);
  page.receive({ text: "# T", visit: "one" });
  page.receive({ text: "", visit: "one" });
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two" }), { visit: "two", text: "" });
});

test("without room or without a storage none is kept, rather than an older one", () => {
  const tab = storage(10);
  const page = new Keeper(tab);
  page.receive({ text: "# T", visit: "one" });
  page.receive({ text: "# T".repeat(9), visit: "one" });
  assert.deepEqual(new Keeper(tab).receive({ text: null, visit: "two" }), { visit: "two", text: "" });
  assert.deepEqual(new Keeper(null).receive({ text: "# T", visit: "two" }), { visit: "two", text: "" });
});
