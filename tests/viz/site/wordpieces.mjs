// Prints the ids of texts as the site tokenises them: node wordpieces.mjs TOKENIZER TEXTS FACTS, JSON files.
import { readFileSync } from "node:fs";
import process from "node:process";
import { Tokenizer } from "@huggingface/tokenizers";
import { tokensOf } from "../../../viz/html/browser/site/tokens.mjs";

const [tokenizer, texts, facts] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const inner = new Tokenizer(tokenizer.tokenizer, {});
process.stdout.write(
  JSON.stringify(texts.map((/** @type {string} */ text) => tokensOf(inner, tokenizer.characters, text, facts))),
);
