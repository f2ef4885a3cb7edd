// Prints the tokens of texts and pairs as the site reads them: node wordpieces.mjs TOKENIZER TEXTS FACTS, JSON files.
import { readFileSync } from "node:fs";
import process from "node:process";
import { Tokenizer } from "@huggingface/tokenizers";
import { stripOf } from "../../../viz/html/browser/site/strip.mjs";
import { tokensOf } from "../../../viz/html/browser/site/tokens.mjs";
import { unitsOf } from "../../../viz/html/browser/site/units.mjs";

const [tokenizer, texts, facts] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const inner = new Tokenizer(tokenizer.tokenizer, {});
process.stdout.write(
  JSON.stringify(
    texts.map((/** @type {string[]} */ read) => {
      const tokens = tokensOf(inner, tokenizer.characters, read, facts);
      if ("empty" in tokens) return tokens;
      const strip = read.length > 1 ? stripOf(tokens, "AB", 2, []) : null; // enough for a test
      return { ...tokens, of_words: unitsOf(tokens, "words", "hide"), strip };
    }),
  ),
);
