import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "../../../../viz/components/head_card/examples.mjs";

const EXAMPLE = { address: "?", value: ".74", words: ["They", "bought", "two", "red", "<b>"] };

test("query and key are separate from the other words", () => {
  assert.deepEqual(partsOf({ ...EXAMPLE, query: 4, key: 1 }), [
    { text: "They", role: "" },
    { text: "bought", role: "key" },
    { text: "two red", role: "" },
    { text: "<b>", role: "query" },
  ]);
});

test("a special token has no word; a word may look at itself", () => {
  assert.deepEqual(
    partsOf({ ...EXAMPLE, query: 0, key: -1 }).map(({ role }) => role),
    ["query", ""],
  );
  assert.deepEqual(
    partsOf({ ...EXAMPLE, query: 2, key: 2 }).map(({ role }) => role),
    ["", "query", ""],
  );
});
