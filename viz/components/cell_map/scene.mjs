// @ts-check
// From a layer, what is selected and the page's colours to a scene, which draw.mjs draws and words.mjs describes.
import { existingOf, unitOf } from "../shared/ranges.mjs";
import { biasesIn, pictureName, quantityOf } from "../shared/quantity.mjs";
import { NOTHING } from "../shared/selection.mjs";
import { blockOf } from "./block.mjs";
import { headWeights, largestIn } from "./cells.mjs";
import { ROWS_NAME, fitLabels, layoutOf } from "./layout.mjs";
import { legendOf, marksIn } from "./marks.mjs";
import { scaleOf } from "./scale.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Colours, DataTheme, LayerMessage, ScaleChoice, Selection, ViewData } from "../shared/types.mjs" */
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
 * }} CellMapData
 */

/**
 * Colours of numbers on cells.
 * @typedef {Pick<DataTheme, "sequential" | "muted"> & { text: string, background: string }} Ink
 */

/**
 * What there is to draw, whatever the size of the page.
 * @typedef {object} Scene
 * @property {string[]} labels of all units
 * @property {number[]} numbers of all units, as the page writes them
 * @property {number[][]} positions of all units' tokens
 * @property {number} count of units
 * @property {number | null} bStart
 * @property {number} until how many units exist so far
 * @property {Block} block
 * @property {Block} existing the part of the block whose queries exist
 * @property {string} shown what the cells depend on, as a text that changes with it
 * @property {Float32Array} weights of all units, row by row, or the numbers of another quantity
 * @property {Quantity} quantity
 * @property {Float32Array | null} biases what the model's biases have of each row; null where that is not known
 * @property {Scale} scale of the colours
 * @property {ScaleChoice} scaleChoice that it follows from
 * @property {Marks} marks
 * @property {Colours} colours
 * @property {Ink} ink
 * @property {string} title
 */

/**
 * A scene on a page: with places, labels that fit, where the name of the rows ends, and the text of the legend. A
 * drawing shows a part of it.
 * @typedef {Scene & Layout & { texts: string[], widest: Widest, rowsNameEnd: number, legend: string }} LaidOut
 * @typedef {LaidOut & { frame: Frame }} Drawing
 */

/**
 * @param {LayerMessage} message
 * @param {CellMapData} data
 * @param {Selection} selection as it is shown
 * @param {Colours} colours
 * @param {Scene | null} before whose weights serve again if they can
 * @returns {Scene}
 */
export function sceneOf({ tensors, extras }, data, selection, colours, before) {
  const { labels, numbers, positions, b_start: bStart } = extras;
  const count = labels.length;
  const until = data.until ?? count;
  const block = blockOf(selection.sentences, bStart, count);
  const shown = [extras.id, selection.head, selection.sentences, until].join(" ");
  const { sequential, muted } = data.theme;
  const quantity = quantityOf(extras);
  const existing = { ...block, rows: existingOf(block.rows, until) };
  const weights =
    before?.shown === shown ? before.weights : headWeights(tensors.weights, selection.head, until, quantity);
  return {
    ...{ labels, numbers, positions, count, bStart, until, block, existing, shown, weights, quantity, colours },
    biases: biasesIn(tensors),
    scale: scaleOf(selection.scale, count, () => largestIn(weights, count, existing), quantity),
    scaleChoice: selection.scale,
    marks: marksIn(block, data.marks, data.marks_name ?? ""),
    ink: { sequential, muted, text: colours.text, background: colours.background },
    title: [pictureName(quantity, extras.layer, selection.head), data.title].filter(Boolean).join(" · "),
  };
}

/**
 * A scene on a page of some width, in a window of some height, or before an audience in a room of some height.
 * @param {Scene} scene
 * @param {{ width: number, windowHeight: number, stageRoom?: number | null }} page in CSS pixels
 * @param {Measure} measure of labels
 * @returns {LaidOut}
 */
export function layOut(scene, page, measure) {
  const { labels, block, marks } = scene;
  const { texts, widest, columnWidths } = fitLabels(labels, block, measure);
  const layout = layoutOf({ ...page, block, widest, columnWidths, legend: marks.cells.length > 0 });
  const rowsNameEnd = Math.max(layout.area.left - 14, measure(ROWS_NAME)); // in a wide font it needs the gap as well
  return { ...scene, ...layout, texts, widest, rowsNameEnd, legend: legendOf({ marks, ...layout }, measure) };
}

/**
 * The cell that a selection pins.
 * @param {Pick<Scene, "positions">} scene
 * @param {Pick<Selection, "query" | "key">} selection
 */
export function pinnedCell({ positions }, { query, key }) {
  return { row: unitOf(positions, query), column: unitOf(positions, key) };
}

/**
 * The change that pins a cell.
 * @param {Pick<Scene, "positions">} scene
 * @param {Cell} cell
 */
export function pinChange({ positions }, { row, column }) {
  /** @param {number} unit */
  const position = (unit) => (unit < 0 ? NOTHING : positions[unit][0]);
  return { query: position(row), key: position(column) };
}
