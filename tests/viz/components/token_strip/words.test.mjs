import assert from "node:assert/strict";
import { test } from "node:test";
import { directionOf, facts, spokenName, tagOf } from "../../../../viz/components/token_strip/words.mjs";
import { isLong, sentenceLetter, wordGroups } from "../../../../viz/components/token_strip/words.mjs";

const TOKEN = {
  ...{ label: "##s", piece: "##s", id: 5, type: 0, position: 2 },
  ...{ word: 1, continues: true, special: false, sentence: 0 },
};

test("tokens that continue a word join it", () => {
  const groups = wordGroups([{}, {}, { continues: true }, {}]);
  assert.deepEqual(
    groups.map((group) => group.length),
    [1, 2, 1],
  );
});

test("two sentences encoded separately take as much room as a pair", () => {
  const tokens = (/** @type {number} */ length) => Array.from({ length });
  assert.deepEqual(
    [isLong({ tokens: tokens(80), run: "pair" }), isLong({ tokens: tokens(81), run: "pair" })],
    [false, true],
  );
  assert.deepEqual([isLong({ tokens: tokens(40), run: "A" }), isLong({ tokens: tokens(41), run: "B" })], [false, true]);
});

test("sentences have letters where there are two", () => {
  assert.deepEqual([sentenceLetter(1, 2), sentenceLetter(0, 1), sentenceLetter(null, 2)], ["B", "", ""]);
});

test("a word's tag stands under its first piece", () => {
  assert.equal(tagOf({ word: 1, continues: false }, ["DET", "NOUN"]), "NOUN");
  assert.equal(tagOf(TOKEN, ["DET", "NOUN"]), "");
  assert.equal(tagOf({ word: null, continues: false }, ["DET"]), "");
});

test("the tooltip has what is known of a token", () => {
  const data = { words: ["time", "flies"], n_sentences: 2 };
  assert.deepEqual(facts(TOKEN, data)[0], ["piece", "##s"]);
  const special = { ...TOKEN, word: null, special: true, sentence: null };
  assert.deepEqual(facts(special, data).at(-1), ["special token", "added by the tokenizer"]);
});

test("a token's spoken name begins with what is seen of it", () => {
  const data = { words: ["time", "flies"], n_sentences: 2, tags: ["NOUN", "VERB"] };
  assert.equal(spokenName(TOKEN, data), "##s 5, position 2, token type 0, word flies, sentence A");
  const first = { ...TOKEN, label: "flies", piece: "Ġflies", continues: false };
  const known = "position 2, token type 0, word flies, sentence A";
  assert.equal(spokenName(first, data), `flies 5 VERB, piece Ġflies, ${known}`);
});

test("a text has the direction of its first letter", () => {
  const directions = ["## كان film", "שלום", "film كان", "123 …", ""].map(directionOf);
  assert.deepEqual(directions, ["rtl", "rtl", "ltr", "ltr", "ltr"]);
});
