// Derives a scene from a layer, the selection and the page's colours; draw.mjs renders it, words.mjs describes it.
import { biasesIn, isWeights, pictureName, planesOf, quantityOf } from "../shared/quantity.mjs";
import { existingOf, unitOf } from "../shared/ranges.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { blockOf, sizeOf } from "./block.mjs";
import { HIDDEN, headWeights, largestIn } from "./cells.mjs";
import { READABLE_CELL, SHORT_NUMBER } from "./frame.mjs";
import { ROWS_NAME, extentOfAll, fitLabels, layoutOf } from "./layout.mjs";
import { cutCells, nameOfCuts } from "./cuts.mjs";
import { legendOf, marksIn } from "./marks.mjs";
import { scaleOf } from "./scale.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Colours, DataTheme, LayerMessage, OtherRun, Range, ScaleChoice, Selection, ViewData } from "../shared/types.mjs" */
/** @import { Block, Cell } from "./block.mjs" */
/** @import { Frame } from "./frame.mjs" */
/** @import { Layout, Widest } from "./layout.mjs" */
/** @import { Marks } from "./marks.mjs" */
/** @import { Scale } from "./scale.mjs" */

const SINK = "sink"; // the label of its column

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
 * @property {string[]} labels of all units, and of the sink
 * @property {(number | string)[]} numbers of all units, as the page writes them
 * @property {number[][]} positions of all units' tokens; none of the sink
 * @property {number} count of units, the sink included
 * @property {number} sink the column of the heads' sink, NOTHING without one
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
export function sceneOf(message, data, selection, colours, before, others = []) {
  const { extras, tensors } = message;
  const bStart = extras.b_start;
  const until = data.until ?? extras.labels.length;
  const units = unitsWithSink(message);
  const block = blockWithSink(blockOf(selection.sentences, bStart, extras.labels.length), units.sink);
  const shown = [extras.id, selection.head, selection.sentences, until].join(" ");
  const { sequential, muted } = data.theme;
  const quantities = [extras, ...others.map((other) => other.extras)].map(quantityOf);
  const quantity = { ...quantities[0], largest: Math.max(...quantities.map(({ largest }) => largest)) };
  const existing = { ...block, rows: existingOf(block.rows, until) };
  const weights = before?.shown === shown ? before.weights : matrixOf(message, selection.head, until, quantity);
  const longest = Math.max(...[message, ...others].map((each) => each.extras.labels.length));
  const largest = () =>
    Math.max(largestIn(weights, units.count, existing), ...others.map((other) => largestOf(other, selection.head)));
  return {
    ...units,
    ...{ bStart, until, block, existing, shown, weights, quantity, colours, longest, others },
    biases: biasesIn(tensors),
    scale: scaleOf(selection.scale, longest, largest, quantity),
    scaleChoice: selection.scale,
    marks: data.cuts?.shown
      ? marksIn(block, cutCells(data.cuts, units.positions, selection), nameOfCuts(data.cuts))
      : marksIn(block, data.marks, data.marks_name ?? ""),
    ink: { sequential, muted, text: colours.text, background: colours.background },
    title: [pictureName(quantity, extras.layer, selection.head), data.title].filter(Boolean).join(" · "),
  };
}

/** The units of a layer, and the sink of its heads behind them. @param {LayerMessage} message */
function unitsWithSink({ tensors, extras: { labels, numbers, positions } }) {
  const count = labels.length;
  if (!tensors.sink) return { labels, numbers, positions, count, sink: NOTHING };
  return {
    labels: [...labels, SINK],
    numbers: [...numbers, SINK],
    positions: [...positions, []],
    count: count + 1,
    sink: count,
  };
}

/** A block of all keys with the column of a sink, so that its rows add up to 1. @param {Block} block @param {number} sink */
function blockWithSink(block, sink) {
  const [from, to] = block.columns;
  return from === 0 && to === sink ? { ...block, columns: /** @type {Range} */ ([0, sink + 1]) } : block;
}

/** The whole matrix of a layer. @param {LayerMessage} message */
function wholeOf({ tensors, extras: { labels } }) {
  return blockWithSink(blockOf("all", null, labels.length), tensors.sink ? labels.length : NOTHING);
}

/**
 * A head's numbers, row by row, each with that of the sink behind it; the row of the sink is hidden.
 * @param {LayerMessage} message @param {number} head @param {number} until @param {Quantity} quantity
 */
function matrixOf({ tensors: { weights, sink }, extras }, head, until, quantity) {
  const cells = headWeights(weights, head, until, quantity);
  if (!sink) return cells;
  const count = extras.labels.length;
  const [first, end] = planesOf(head, sink.shape[0], quantity);
  const matrix = new Float32Array((count + 1) ** 2).fill(HIDDEN);
  for (let row = 0; row < until; row += 1) {
    const start = row * (count + 1);
    matrix.set(cells.subarray(row * count, (row + 1) * count), start);
    let sum = 0;
    for (let plane = first; plane < end; plane += 1) sum += sink.values[plane * count + row];
    matrix[start + count] = sum / (end - first);
  }
  return matrix;
}

/** The largest number of a head in a whole layer. @param {LayerMessage} message @param {number} head */
function largestOf(message, head) {
  const { count } = unitsWithSink(message);
  const cells = matrixOf(message, head, message.extras.labels.length, quantityOf(message.extras));
  return largestIn(cells, count, wholeOf(message));
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
  const others = scene.others.map((other) => {
    const whole = wholeOf(other);
    return { size: sizeOf(whole), ...fitLabels(unitsWithSink(other).labels, whole, measure) };
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
  const position = (unit) => (unit < 0 ? NOTHING : (positions[unit][0] ?? NOTHING)); // the sink has no token
  return { query: position(row), key: position(column) };
}
