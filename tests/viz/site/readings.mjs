// Prints how the site reads texts and pairs: node readings.mjs TOKENIZER TEXTS FACTS LOSSES, files of JSON.
import { readFileSync } from "node:fs";
import process from "node:process";
import { Tokenizer } from "@huggingface/tokenizers";
import { readingInWords, readingOf } from "../../../viz/html/browser/site/readings.mjs";
import { tokensOf } from "../../../viz/html/browser/site/tokens.mjs";

const [tokenizer, texts, facts, losses] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const inner = new Tokenizer(tokenizer.tokenizer, {});
const read = texts.map((/** @type {string[]} */ some) => {
  const tokens = tokensOf(inner, tokenizer.characters, some, facts);
  if ("empty" in tokens) throw new Error(`${some} is empty`);
  const reading = readingOf(some, tokens, tokenizer.characters);
  return { ...reading, ...readingInWords(reading, losses) };
});
process.stdout.write(JSON.stringify(read));
