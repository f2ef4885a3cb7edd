import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressOf,
  csvOf,
  lineOf,
  rowsSeen,
  summaryOf,
  wordsOf,
} from "../../../../viz/components/head_card/search.mjs";
/** @import { Found } from "../../../../viz/components/head_card/search.mjs" */

/** @type {Found} */
const found = {
  search: { looks: "obj→", looked_at: "", least: 0.3 },
  n: 1234,
  words: 2000,
  rows: [
    [1, 0, 1, 1, 3, 97],
    [0, 2, 0, 3, 1, 30],
  ],
  sentences: ['=1+1\u001fsaid\u001f"no",\u001fthen', "go\u001fhome"],
  names: ["a-1", "b-2"],
  address: { model: "bundled", level: "words", layer: "2", head: "0" },
  suggestions: [],
  credit: "Ours, CC0",
};

test("a link has the sentence and the tokens of both words", () => {
  const parameters = new URLSearchParams(addressOf(found, found.rows[0]));
  assert.deepEqual(Object.fromEntries(parameters), {
    ...found.address,
    ...{ a: "go home", b: "", query: "1", key: "3" },
  });
});

test("a long sentence begins a little before the first of its two words", () => {
  const words = [..."abcdefghij"];
  assert.deepEqual(lineOf(words, 3, 1), { words, query: 3, key: 1 });
  assert.deepEqual(lineOf(words, 9, 7), { words: ["…", ..."defghij"], query: 7, key: 5 });
});

test("the summary gives the number found and listed", () => {
  assert.equal(
    summaryOf(found),
    "1,234 of 2,000 words “obj→” look most at the right word, by 0.30 or more. The hardest 2 are listed.",
  );
  /** @param {string} looks @param {string} lookedAt */
  const said = (looks, lookedAt) => summaryOf({ ...found, n: 2, search: { looks, looked_at: lookedAt, least: 0 } });
  assert.equal(said("", ""), "2 of 2,000 words look most at another word, by 0.00 or more.");
  assert.equal(said("NOUN", " the "), "2 of 2,000 words “NOUN” look most at “the”, by 0.00 or more.");
  assert.equal(said("→obj", "it"), "2 of 2,000 words “→obj” look most at the right word, “it”, by 0.00 or more.");
  assert.equal(summaryOf({ ...found, words: 0 }), "No word of the corpus is “obj→”.");
});

test("a file has a row for each look, and no cell that is a formula", () => {
  assert.deepEqual(csvOf(found).split("\r\n"), [
    "sentence,place,looks,place looked at,looks at,weight,text,credit",
    'b-2,1,go,2,home,0.97,go home,"Ours, CC0"',
    `a-1,3,"""no"",",1,'=1+1,0.30,"'=1+1 said ""no"", then","Ours, CC0"`,
    "",
  ]);
  assert.deepEqual(wordsOf(found, 0), ["=1+1", "said", '"no",', "then"]);
});

test("of a long list only rows near the view are rendered", () => {
  assert.deepEqual(rowsSeen({ scrollTop: 0, clientHeight: 280 }, 28, 10_000), [0, 14]);
  assert.deepEqual(rowsSeen({ scrollTop: 28_000, clientHeight: 280 }, 28, 10_000), [996, 1014]);
  assert.deepEqual(rowsSeen({ scrollTop: 90, clientHeight: 280 }, 28, 3), [0, 3]);
  assert.deepEqual(rowsSeen({ scrollTop: 0, clientHeight: 280 }, 28, 0), [0, 0]);
});
