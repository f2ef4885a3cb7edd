// Column positions and scroll positions of the neuron view, in CSS pixels.
import { clamped } from "../shared/ranges.mjs";

export const ROW = 28; // height
export const HEADING = 100; // height of everything above the rows
export const MOST_ROWS = 16; // on the screen; more scroll inside
const FEWEST_ROWS = 3; // before an audience
const SMALLEST = 0.5; // scale before an audience, of its large type
export const LABEL = { least: 64, most: 170, size: 16 }; // width of a key's name, and size of its text
const GAP = { label: 10, bands: 14, bar: 8 };
const NUMBER = { dot: 54, score: 52, weight: 60 };
const CELL = { readable: 4, most: 16 }; // width of one dimension
const BAR = { least: 24, wanted: 84, most: 160 };

/**
 * Where columns begin; those of numbers end there.
 * @typedef {object} Layout
 * @property {number} left
 * @property {number} cell width of one dimension
 * @property {number} dimensions
 * @property {number} label width of a key's name
 * @property {number} key
 * @property {number} product
 * @property {number} dot
 * @property {number} score
 * @property {number} weight
 * @property {number} bar
 * @property {number} right where the picture ends
 */

/**
 * @param {object} options
 * @param {number} options.width of the page
 * @param {number} options.dimensions
 * @param {number} options.widestLabel
 * @param {number} [options.left]
 * @param {number} [options.ratio] pixels of the screen for one of the page
 * @returns {Layout}
 */
export function layoutOf({ width, dimensions, widestLabel, left = 0, ratio = 1 }) {
  const numbers = NUMBER.dot + NUMBER.score + NUMBER.weight + GAP.bar + BAR.least;
  const room = width - left - numbers - GAP.label - GAP.bands;
  const wanted = clamped(Math.ceil(widestLabel), LABEL.least, LABEL.most);
  const label = Math.max(LABEL.least, Math.min(wanted, room - 2 * dimensions * CELL.readable));
  /** @param {number} pixels */
  const snapped = (pixels) => Math.floor(pixels * ratio) / ratio; // whole pixels of the screen: no seams
  /** @param {number} pixels */
  const cellIn = (pixels) => clamped(snapped(pixels / (2 * dimensions)), 1, CELL.most);
  const besideBar = cellIn(room - label - (BAR.wanted - BAR.least));
  const cell = besideBar >= CELL.readable ? besideBar : cellIn(room - label);
  const key = snapped(left + label + GAP.label);
  const product = snapped(key + cell * dimensions + GAP.bands);
  const dot = product + cell * dimensions + NUMBER.dot;
  const score = dot + NUMBER.score;
  const weight = score + NUMBER.weight;
  const bar = weight + GAP.bar;
  const right = bar + clamped(width - bar, BAR.least, BAR.most);
  return { left, cell, dimensions, label, key, product, dot, score, weight, bar, right };
}

/**
 * How many rows may be on the screen.
 * @param {number | null} stageRoom height of the picture before an audience; null on the page
 */
export function rowsIn(stageRoom) {
  if (stageRoom === null) return MOST_ROWS;
  return clamped(Math.floor((stageRoom - HEADING) / ROW), FEWEST_ROWS, MOST_ROWS);
}

/**
 * The scale at which so many rows fit before an audience, as far as they stay legible; 1 on the page.
 * @param {number | null} stageRoom height of the picture; null on the page
 * @param {number} rows
 */
export function scaleIn(stageRoom, rows) {
  if (stageRoom === null) return 1;
  const fit = Math.floor((100 * stageRoom) / (HEADING + rows * ROW)) / 100; // rounded down, for all of the last row
  return clamped(fit, SMALLEST, 1);
}

/** The place in the dimensions' order that lies under x, or null. @param {Layout} layout @param {number} x */
export function columnAt(layout, x) {
  for (const start of [layout.key, layout.product]) {
    const column = Math.floor((x - start) / layout.cell);
    if (column >= 0 && column < layout.dimensions) return column;
  }
  return null;
}

/**
 * The part of the screen that a cell of one dimension takes, in a key's row or in the query's.
 * @param {Layout} layout
 * @param {{ row: number | null, column: number, isOverProduct: boolean }} cell the query's row is null
 * @param {{ left: number, top: number }} box of the canvas that it is on
 * @param {number} scrollTop
 */
export function anchorOf(layout, { row, column, isOverProduct }, box, scrollTop) {
  const left = box.left + (isOverProduct ? layout.product : layout.key) + column * layout.cell;
  const below = row === null ? HEADING / 2 : (row + 1) * ROW - scrollTop;
  return { left, right: left + layout.cell, top: box.top + below - ROW, bottom: box.top + below };
}

/**
 * The neighbour of a member of a list; the last one has itself.
 * @param {readonly number[]} list @param {number} member @param {number} step
 */
export function neighbour(list, member, step) {
  return list[clamped(list.indexOf(member) + step, 0, list.length - 1)];
}

/**
 * The scroll position nearest to the present one at which all of a part is seen.
 * @param {number} top
 * @param {number} height of what is seen at once
 * @param {number} start of the part
 * @param {number} size of the part
 */
export function scrolledTo(top, height, start, size) {
  return Math.max(Math.min(top, start), start + size - height);
}
