// Prints the answers that the browser fills in: node answers.mjs TEMPLATES VALUES CHARACTERS, files of JSON.
import { readFileSync } from "node:fs";
import process from "node:process";
import { axisOf } from "../../../viz/html/browser/site/labels.mjs";
import { lossesOf } from "../../../viz/html/browser/site/removed_words.mjs";
import { filled } from "../../../viz/html/browser/site/templates.mjs";

const [templates, values, ranges] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const norms = values.norms.map((/** @type {any} */ own) =>
  filled(templates.norms, { characters: ranges, ...axisOf(own.labels, ranges, templates.axis), ...own }),
);
const lens = values.lens.map((/** @type {any} */ own) =>
  filled(templates.lens[own.kind ?? "answer"], { characters: ranges, ...own }),
);
const predictions = values.predictions.map((/** @type {any} */ own) => filled(templates.predictions, own));
const why = values.why.map((/** @type {any} */ own) =>
  filled(templates.why.answer, lossesOf(own, ranges, templates.why.box)),
);
process.stdout.write(JSON.stringify({ norms, lens, predictions, why }));
