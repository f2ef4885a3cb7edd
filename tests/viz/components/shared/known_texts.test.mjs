// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { knownOf } from "../../../../viz/components/shared/known_texts.mjs";

const KNOWN = { marks: {}, answered: 3, slow: null, direct: null };

test("fields hear of what was put under their key, and nothing after they are closed", () => {
  const page = {};
  const closing = new AbortController();
  let heard = 0;
  knownOf("texts", page).whenPut(() => (heard += 1), closing.signal);
  knownOf("texts", page).put(KNOWN);
  knownOf("others", page).put(KNOWN);
  assert.equal(heard, 1);
  assert.deepEqual(knownOf("texts", page).now, KNOWN);
  closing.abort();
  knownOf("texts", page).put(KNOWN);
  assert.equal(heard, 1);
});

test("fields that come later find what is known", () => {
  const page = {};
  assert.equal(knownOf("texts", page).now.slow, null);
  knownOf("texts", page).put({ ...KNOWN, slow: 0.5 });
  assert.equal(knownOf("texts", page).now.slow, 0.5);
});
