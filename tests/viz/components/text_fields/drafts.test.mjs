import assert from "node:assert/strict";
import test from "node:test";
import { keepDraft, keptDraft } from "../../../../viz/components/text_fields/drafts.mjs";
import { storage } from "../made_up.mjs";

const DRAFT = { visit: "v1", linked: { a: "old" }, texts: { a: "new" } };

test("a draft comes back, for the fields that it was typed into", () => {
  const tab = storage();
  keepDraft(tab, "texts", DRAFT);
  assert.deepEqual(keptDraft(tab, "texts", ["a"]), DRAFT);
  assert.equal(keptDraft(tab, "others", ["a"]), null);
  assert.equal(keptDraft(tab, "texts", ["a", "b"]), null);
  keepDraft(tab, "texts", null);
  assert.equal(keptDraft(tab, "texts", ["a"]), null);
});

test("a draft that does not fit leaves none, rather than an older one", () => {
  const tab = storage(100);
  keepDraft(tab, "texts", DRAFT);
  keepDraft(tab, "texts", { ...DRAFT, texts: { a: "long ".repeat(100) } });
  assert.equal(keptDraft(tab, "texts", ["a"]), null);
});

for (const strange of [
  "{",
  '{"visit":1}',
  '{"visit":"v","linked":null,"texts":{"a":"b"}}',
  "[]",
  '{"visit":"v","linked":{"a":1},"texts":{}}',
]) {
  test(`an invalid draft is ignored: ${strange}`, () => {
    const tab = storage();
    tab.setItem("headlight.texts", strange);
    assert.equal(keptDraft(tab, "texts", ["a"]), null);
  });
}

test("errors other than the browser's are seen", () => {
  const tab = { ...storage(), setItem: () => assert.fail("a bug") };
  assert.throws(() => keepDraft(tab, "texts", DRAFT), /a bug/);
});
