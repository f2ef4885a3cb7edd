// Texts of the heat map: tooltip, note, screen reader and table.
import { element } from "../shared/elements.mjs";
import { NOUNS, WEIGHTS, inFull, isWeights, separatesHeads, statement } from "../shared/quantity.mjs";
import { isIn, unitsIn } from "../shared/ranges.mjs";
import { MEAN, headInWords } from "../shared/selection.mjs";
import { sizeOf } from "./block.mjs";
import { strongest } from "./cells.mjs";
import { cellSize, inView, labelStep } from "./frame.mjs";
import { isMarked } from "./marks.mjs";
import { scaleNote } from "./scale.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Head, Special, Table } from "../shared/types.mjs" */
/** @import { Block, Cell } from "./block.mjs" */
/** @import { Pool, Sides } from "./frame.mjs" */
/** @import { Drawing, Scene } from "./scene.mjs" */

/**
 * A cell in words: lines of three pieces, the second of which is a name.
 * @param {Scene} scene @param {Cell} cell @returns {[before: string, name: string, after: string][]}
 */
export function cellLines({ labels, numbers, weights, quantity, biases, count, sink, marks }, { row, column }) {
  /** @type {[string, string, string][]} */
  const lines = [
    ["from ", labels[row], ` · position ${numbers[row]}`],
    ["to ", labels[column], column === sink ? ", which is no token" : ` · position ${numbers[column]}`],
    ["", "", statement(weights[row * count + column], quantity)],
  ];
  if (biases) lines.push(["biases of this row ", "", inFull(biases[row], quantity)]);
  return isMarked(marks, { row, column }) ? [...lines, ["marked: ", "", marks.name]] : lines;
}

/** A cell as the tooltip shows it, with names in bold. @param {Scene} scene @param {Cell} cell */
export function cellElements(scene, cell) {
  return cellLines(scene, cell).map(([before, name, after]) => {
    const line = element("div", "line", before);
    const bold = element("b", "", name);
    bold.dir = "ltr"; // as labels on the canvas
    line.append(bold, after);
    return line;
  });
}

/** @param {Scene} scene @param {Cell} cell */
export function spokenCell(scene, cell) {
  return cellLines(scene, cell)
    .map((line) => line.join(""))
    .join(", ");
}

/**
 * A unit in quotation marks, with its position where its text is repeated.
 * @param {Pick<Scene, "labels" | "numbers">} scene @param {number} unit
 */
function quoted({ labels, numbers }, unit) {
  const isRepeated = labels.indexOf(labels[unit]) !== labels.lastIndexOf(labels[unit]);
  return `“${labels[unit]}”${isRepeated ? ` (position ${numbers[unit]})` : ""}`;
}

/**
 * The number of a cell in a sentence, in three pieces.
 * @param {Pick<Scene, "labels" | "numbers" | "count" | "quantity"> & { weights: ArrayLike<number> | Record<number, number> }} scene
 * @param {Cell} cell
 * @param {{ selection: Head, special: Special }} shown the layer and head, and whether rows are rescaled
 * @returns {[before: string, number: string, after: string]}
 */
export function cellSentence(scene, { row, column }, { selection: { layer, head }, special }) {
  const { weights, count, quantity } = scene;
  const [from, to] = [quoted(scene, row), row === column ? "itself" : quoted(scene, column)];
  const value = weights[row * count + column];
  const where = quantity.from_input ? `Up to layer ${layer}` : `In ${placeOf(layer, head, quantity)}`;
  switch (quantity.unit) {
    case "weight":
      if (special !== "renormalise") return [`${where}, ${from} gives `, percent(value), ` of its attention to ${to}.`];
      return [`${where}, ${from} gives ${to} `, percent(value), " of its attention to the tokens shown."];
    case "share":
      return [`${where}, `, percent(value), ` of ${from} comes from ${to} (${quantity.symbol}).`];
    case "norm":
      return [
        `${where}, ${from} takes a vector of length `,
        inFull(value, quantity),
        ` from ${to}: ${quantity.symbol}.`,
      ];
    case "difference":
      return [`${where}, from ${from} to ${to}: ${quantity.name}, `, inFull(value, quantity), "."];
  }
}

/** @param {number} layer @param {number} head or MEAN @param {Quantity} quantity */
function placeOf(layer, head, quantity) {
  if (!separatesHeads(quantity)) return `layer ${layer}`;
  if (head !== MEAN) return headInWords({ layer, head });
  return `layer ${layer}, ${isWeights(quantity) ? "on average over its heads" : "all heads together"}`;
}

/** A share as people say it. @param {number} share */
export function percent(share) {
  const percents = 100 * share;
  if (percents >= 0.95) return `${Math.round(percents)} %`;
  return percents >= 0.05 ? `${percents.toFixed(1)} %` : "less than 0.1 %";
}

/** @type {Record<string, string>} */
const COMPARED = {
  "another word": "from a word to another word of its sentence",
  itself: "from a word to itself",
  "[CLS]": "from a word to the first token",
  "[SEP]": "from a word to the last token",
};

/**
 * The card's words about the heads that link two units.
 * @param {Scene} scene @param {Cell} cell
 * @param {{ layers: number, of: number, isCompared: boolean }} ranked how many layers were ranked and how many there are,
 *   and whether a corpus says how unusual the weights are
 */
export function linkingSentence(scene, { row, column }, { layers, of, isCompared }) {
  const missing = layers < of ? ` (${layers} of ${of} layers)` : "";
  const second = isCompared ? " Second number: how unusual that is for the head." : "";
  return `Heads that link ${quoted(scene, row)} to ${quoted(scene, column)}, strongest first${missing}.${second}`;
}

/** How unusual a weight is for its head. @param {string} share of lower weights @param {string} target @param {string} source */
export function unusualSentence(share, target, source) {
  return `${share} of this head's weights ${COMPARED[target]} are lower (${source}).`;
}

/** @param {Scene} scene */
export function spokenTitle({ title, quantity }) {
  return isWeights(quantity) ? `Attention weights of ${title}` : title;
}

/** How many cells the picture has: "13 by 13 tokens". @param {Pick<Scene, "block" | "sink">} scene */
export function sizeInWords({ block, sink }) {
  const { rows, columns } = sizeOf(block);
  return isIn(block.columns, sink) ? `${rows} by ${columns - 1} tokens and the sink` : `${rows} by ${columns} tokens`;
}

/**
 * The rows and columns in view, the last of them included.
 * @typedef {{ rows: [first: number, last: number], columns: [first: number, last: number] }} InView
 */

/**
 * The note under the picture: what the colours show, and what this size omits.
 * @param {Drawing} drawing @param {Pool} pool
 */
export function noteUnder(drawing, pool) {
  const { frame, block, numbers, scale, scaleChoice, quantity } = drawing;
  const { across, down } = cellSize(drawing);
  const steps = { across: labelStep(across), down: labelStep(down, drawing.closest) };
  const size = noteOf({ pool, steps, ...inView(drawing), block, numbers, zoom: frame.zoom, quantity });
  return scaleNote(scale, scaleChoice, quantity) + size;
}

/**
 * What this size omits.
 * @param {InView & { pool: Pool, steps: Sides, block: Block, numbers: Scene["numbers"], zoom: number, quantity?: Quantity }} view
 */
export function noteOf({ pool, steps, zoom, quantity = WEIGHTS, ...view }) {
  const part = zoom > 1 ? `In view: ${partInView(view)}. ` : "";
  if (pool.down * pool.across > 1) {
    return `${part}Each pixel shows the largest of ${pool.down} × ${pool.across} ${NOUNS[quantity.unit].many}; zoom in to see each.`;
  }
  const step = Math.max(steps.down, steps.across);
  if (step > 1) return `${part}There is room for one label in ${step}; zoom in for the others.`;
  return part;
}

/** @param {InView & { block: Block, numbers: Scene["numbers"] }} view */
function partInView({ rows, columns, block, numbers }) {
  const size = sizeOf(block);
  /** @param {[number, number]} units */
  const range = (units) => units.map((unit) => numbers[unit]).join("–");
  if (size.rows === numbers.length && size.columns === numbers.length) {
    return `queries ${range(rows)} and keys ${range(columns)} of ${numbers.length}`;
  }
  /** @type {(units: [number, number], count: number) => string} */
  const share = ([first, last], count) => `(${last - first + 1} of ${count})`;
  const queries = `queries ${range(rows)} ${share(rows, size.rows)}`;
  return `${queries} and keys ${range(columns)} ${share(columns, size.columns)}`;
}

/** Replaces a picture without cells. */
export const NO_CELLS = "There are no cells here: one of the two sentences has no token that is shown.";

/**
 * The help line for mouse and keys, or for touch.
 * @param {boolean} zooms
 * @param {boolean} [byTouch] whether the device has no hover
 */
export function howOf(zooms, byTouch = false) {
  if (byTouch) {
    const enlarge = zooms ? "The button + enlarges the picture, and a drag moves an enlarged one. " : "";
    return `${enlarge}Tap a cell to select it.`;
  }
  const select = "Click a cell to select it.";
  if (!zooms) return select;
  return `Drag over a part to enlarge it; double-click to go back. ${select}`;
}

/**
 * The table twin: all weights of the pinned query, or every query's strongest key, within the rendered block.
 * @param {Scene} scene
 * @param {number} query the pinned unit, or NOTHING
 * @returns {Table}
 */
export function tableOf(scene, query) {
  const { labels, numbers, weights, count, sink, existing, title, quantity, biases } = scene;
  const heading = isWeights(quantity) ? "weight" : quantity.symbol;
  const { rows, columns } = existing;
  /** @param {number} unit */
  const name = (unit) => (unit === sink ? `${labels[unit]}, which is no token` : `${numbers[unit]}: ${labels[unit]}`);
  /** @type {(row: number, column: number) => string} */
  const weight = (row, column) => inFull(weights[row * count + column], quantity);
  if (isIn(rows, query)) {
    return {
      caption: `${title}: what ${name(query)} ${isWeights(quantity) ? "attends to" : "takes from each token"}`,
      header: ["key (to)", heading],
      rows: [
        ...unitsIn(columns).map((unit) => [name(unit), weight(query, unit)]),
        ...(biases ? [["biases of the model", inFull(biases[query], quantity)]] : []),
      ],
    };
  }
  const cells = unitsIn(rows).map((row) => ({ row, column: strongest(weights, count, row, columns) }));
  return {
    caption: `${title}: the key with the largest ${NOUNS[quantity.unit].one} of every query; select a cell to see all of its row`,
    header: ["query (from)", "key (to)", heading],
    rows: cells
      .filter(({ column }) => column >= 0)
      .map(({ row, column }) => [name(row), name(column), weight(row, column)]),
  };
}
