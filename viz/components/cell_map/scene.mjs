// Derives a scene from a layer, the selection and the page's colours; draw.mjs renders it, words.mjs describes it.
import { biasesIn, isWeights, pictureName, quantityOf } from "../shared/quantity.mjs";
import { existingOf, unitOf } from "../shared/ranges.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { blockOf, sizeOf } from "./block.mjs";
import { headWeights, largestIn } from "./cells.mjs";
import { READABLE_CELL, SHORT_NUMBER } from "./frame.mjs";
import { ROWS_NAME, extentOfAll, fitLabels, layoutOf } from "./layout.mjs";
import { legendOf, marksIn } from "./marks.mjs";
import { scaleOf } from "./scale.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Colours, DataTheme, LayerMessage, OtherRun, ScaleChoice, Selection, ViewData } from "../shared/types.mjs" */
/** @import { Block, Cell } from "./block.mjs" */
/** @import { Frame } from "./frame.mjs" */
/** @import { Layout, Widest } from "./layout.mjs" */
/** @import { Marks } from "./marks.mjs" */
/** @import { Scale } from "./scale.mjs" */

/**
 * What Python sends; see __init__.py.
 * @typedef {ViewData & {
 *   title?: string,
 *   place: string,
 *   marks?: [query: number, key: number][] | null,
 *   marks_name?: string,
 *   until?: number | null,
 *   others?: readonly OtherRun[],
 *   words?: readonly (number | null)[],
 *   quantiles?: string,
 *   opens?: readonly string[],
 * }} CellMapData
 */

/**
 * Colours of numbers on cells.
 * @typedef {Pick<DataTheme, "sequential" | "muted"> & { text: string, background: string }} Ink
 */

/**
 * What to render, independent of the page's size.
 * @typedef {object} Scene
 * @property {string[]} labels of all units
 * @property {number[]} numbers of all units, as the page writes them
 * @property {number[][]} positions of all units' tokens
 * @property {number} count of units
 * @property {number | null} bStart
 * @property {number} until how many units exist so far
 * @property {Block} block
 * @property {Block} existing the part of the block whose queries exist
 * @property {string} shown cache key of the cells
 * @property {Float32Array} weights of all units, row by row, or the numbers of another quantity
 * @property {Quantity} quantity
 * @property {Float32Array | null} biases the share of the model's biases in each row; null if unknown
 * @property {Scale} scale of the colours
 * @property {ScaleChoice} scaleChoice that it follows from
 * @property {Marks} marks
 * @property {Colours} colours
 * @property {Ink} ink
 * @property {string} title
 * @property {number} longest count of units in any of the runs
 * @property {readonly LayerMessage[]} others the same layer of the compared runs
 */

/**
 * A scene laid out on a page, with fitted labels and the legend's text. A drawing adds the part in view.
 * @typedef {Scene & Layout & { texts: string[], widest: Widest, rowsNameEnd: number, legend: string, readable: number }} LaidOut
 * @typedef {LaidOut & { frame: Frame }} Drawing
 */

/**
 * @param {LayerMessage} message @param {CellMapData} data
 * @param {Selection} selection to render
 * @param {Colours} colours
 * @param {Scene | null} before whose weights are reused if they are the same
 * @param {readonly LayerMessage[]} others the same layer of the compared runs
 * @returns {Scene}
 */
export function sceneOf({ tensors, extras }, data, selection, colours, before, others = []) {
  const { labels, numbers, positions, b_start: bStart } = extras;
  const count = labels.length;
  const until = data.until ?? count;
  const block = blockOf(selection.sentences, bStart, count);
  const shown = [extras.id, selection.head, selection.sentences, until].join(" ");
  const { sequential, muted } = data.theme;
  const quantities = [extras, ...others.map((other) => other.extras)].map(quantityOf);
  const quantity = { ...quantities[0], largest: Math.max(...quantities.map(({ largest }) => largest)) };
  const existing = { ...block, rows: existingOf(block.rows, until) };
  const weights =
    before?.shown === shown ? before.weights : headWeights(tensors.weights, selection.head, until, quantity);
  const longest = Math.max(count, ...others.map((other) => other.extras.labels.length));
  const largest = () =>
    Math.max(largestIn(weights, count, existing), ...others.map((other) => largestOf(other, selection.head)));
  return {
    ...{ labels, numbers, positions, count, bStart, until, block, existing, shown, weights, quantity, colours },
    ...{ longest, others },
    biases: biasesIn(tensors),
    scale: scaleOf(selection.scale, longest, largest, quantity),
    scaleChoice: selection.scale,
    marks: marksIn(block, data.marks, data.marks_name ?? ""),
    ink: { sequential, muted, text: colours.text, background: colours.background },
    title: [pictureName(quantity, extras.layer, selection.head), data.title].filter(Boolean).join(" · "),
  };
}

/** The largest number of a head in a whole layer. @param {LayerMessage} message @param {number} head */
function largestOf({ tensors, extras }, head) {
  const count = extras.labels.length;
  return largestIn(headWeights(tensors.weights, head, count, quantityOf(extras)), count, blockOf("all", null, count));
}

/**
 * Lay out a scene for a page width and window height, or for a height on stage.
 * @param {Scene} scene
 * @param {{ width: number, windowHeight: number, stageRoom?: number | null }} page in CSS pixels
 * @param {Measure} measure of labels
 * @returns {LaidOut}
 */
export function layOut(scene, page, measure) {
  const { labels, block, marks } = scene;
  const { texts, ...own } = fitLabels(labels, block, measure);
  const others = scene.others.map(({ extras }) => {
    const whole = blockOf("all", null, extras.labels.length);
    return { size: sizeOf(whole), ...fitLabels(extras.labels, whole, measure) };
  });
  const { size, widest, columnWidths } = extentOfAll([{ size: sizeOf(block), ...own }, ...others]);
  const layout = layoutOf({ ...page, block, size, widest, columnWidths, legend: marks.cells.length > 0 });
  const rowsNameEnd = Math.max(layout.area.left - 14, measure(ROWS_NAME)); // a wide font needs the gap too
  return {
    ...scene,
    ...layout,
    texts,
    widest: own.widest,
    rowsNameEnd,
    readable: isWeights(scene.quantity) ? SHORT_NUMBER : READABLE_CELL,
    legend: legendOf({ marks, ...layout }, measure),
  };
}

/**
 * The cell that a selection pins.
 * @param {Pick<Scene, "positions">} scene @param {Pick<Selection, "query" | "key">} selection
 */
export function pinnedCell({ positions }, { query, key }) {
  return { row: unitOf(positions, query), column: unitOf(positions, key) };
}

/** The change that pins a cell. @param {Pick<Scene, "positions">} scene @param {Cell} cell */
export function pinChange({ positions }, { row, column }) {
  /** @param {number} unit */
  const position = (unit) => (unit < 0 ? NOTHING : positions[unit][0]);
  return { query: position(row), key: position(column) };
}
