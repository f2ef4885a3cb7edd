// Prints the charts and the words of runs' norms: node norms.mjs TEMPLATES RUNS, JSON files.
import { readFileSync } from "node:fs";
import process from "node:process";
import { normsOf } from "../../../viz/html/browser/site/answers.mjs";

const [{ widths, views }, runs] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
process.stdout.write(JSON.stringify(runs.map((/** @type {any} */ measured) => normsOf(views.norms, measured, widths))));
