// Prints the answers that the browser fills in: node answers.mjs TEMPLATES RUNS WORDS PREDICTIONS REMOVED, JSON files.
import { readFileSync } from "node:fs";
import process from "node:process";
import { normsOf, predictionsOf, wordOf } from "../../../viz/html/browser/site/answers.mjs";
import { removedWordsOf } from "../../../viz/html/browser/site/removed_words.mjs";

const [{ widths, views }, runs, words, predicted, without] = process.argv
  .slice(2)
  .map((path) => JSON.parse(readFileSync(path, "utf8")));
const norms = runs.map((/** @type {any} */ measured) => normsOf(views.norms, measured, widths));
const lens = words.map((/** @type {any} */ found) => wordOf(views["word lens"], found));
const predictions = predicted.map((/** @type {any} */ found) => predictionsOf(views.predictions, found));
const removed = without.map((/** @type {any} */ measured) => removedWordsOf(views.why, measured, widths));
process.stdout.write(JSON.stringify({ norms, lens, predictions, removed }));
