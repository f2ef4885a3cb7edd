// Texts of the heat map: tooltip, note, screen reader and table.
import { element } from "../shared/elements.mjs";
import { NOUNS, WEIGHTS, inFull, isWeights, statement } from "../shared/quantity.mjs";
import { isIn, unitsIn } from "../shared/ranges.mjs";
import { sizeOf } from "./block.mjs";
import { strongest } from "./cells.mjs";
import { cellSize, inView, labelStep } from "./frame.mjs";
import { isMarked } from "./marks.mjs";
import { scaleNote } from "./scale.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Table } from "../shared/types.mjs" */
/** @import { Block, Cell } from "./block.mjs" */
/** @import { Pool, Sides } from "./frame.mjs" */
/** @import { Drawing, Scene } from "./scene.mjs" */

/**
 * A cell in words: lines of three pieces, the second of which is a name.
 * @param {Scene} scene @param {Cell} cell @returns {[before: string, name: string, after: string][]}
 */
export function cellLines({ labels, numbers, weights, quantity, biases, count, marks }, { row, column }) {
  /** @type {[string, string, string][]} */
  const lines = [
    ["from ", labels[row], ` · position ${numbers[row]}`],
    ["to ", labels[column], ` · position ${numbers[column]}`],
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

/** @param {Scene} scene */
export function spokenTitle({ title, quantity }) {
  return isWeights(quantity) ? `Attention weights of ${title}` : title;
}

/** How many cells the picture has: "13 by 13 tokens". @param {Block} block */
export function sizeInWords(block) {
  const { rows, columns } = sizeOf(block);
  return `${rows} by ${columns} tokens`;
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
 * @param {InView & { pool: Pool, steps: Sides, block: Block, numbers: number[], zoom: number, quantity?: Quantity }} view
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

/** @param {InView & { block: Block, numbers: number[] }} view */
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
    return `${enlarge}A tap selects a cell, and another tap on it releases it.`;
  }
  const select = "A click selects a cell, Escape releases it.";
  if (!zooms) return select;
  const zoom =
    "Drag over a part to enlarge it, double-click to go back. Ctrl or ⌘ with the wheel zooms; the wheel alone, or ";
  return `${zoom}a drag with Shift, moves an enlarged picture. ${select}`;
}

/**
 * The table twin: all weights of the pinned query, or every query's strongest key, within the rendered block.
 * @param {Scene} scene
 * @param {number} query the pinned unit, or NOTHING
 * @returns {Table}
 */
export function tableOf(scene, query) {
  const { labels, numbers, weights, count, existing, title, quantity, biases } = scene;
  const heading = isWeights(quantity) ? "weight" : quantity.symbol;
  const { rows, columns } = existing;
  /** @param {number} unit */
  const name = (unit) => `${numbers[unit]}: ${labels[unit]}`;
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
