// Layout of the heat map: the area of its cells and the room for labels. Sizes are CSS pixels.
import { clamped } from "../shared/ranges.mjs";
import { fitted } from "../shared/text.mjs";
import { sizeOf } from "./block.mjs";
import { LABEL_PITCH, LARGEST_CELL } from "./frame.mjs";
import { LEGEND } from "./marks.mjs";
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Range } from "../shared/types.mjs" */
/** @import { Block } from "./block.mjs" */
/** @import { Grid } from "./frame.mjs" */

export const LABEL = 14; // size of a label's text
export const HEADER = 52; // title, colour bar, and the name of the columns
export const ROWS_NAME = "query (from) ↓"; // over the rows' labels
export const LOW_HEADER = 24; // colour bar and the name of the columns; the stage has its own title line
export const GAP = 6; // between a label and the cells
export const RIGHT = 16; // room for the last label's overhang and the scroll bar
const LONGEST = 116; // a label's width
const TALLEST_LABELS = 46; // up to this many rows are all labelled, even if the picture grows
const TALLEST = 700; // largest height for one pixel a row
const NARROWEST = 640; // width that title, buttons and colour bar need, if the page has it
const LOW_FOOT = 4; // pixels under the cells on stage
const CLOSEST_ON_STAGE = 11; // pixels of a labelled row on stage
const FEWEST_ROWS = 8; // rows that always fit on stage
const LOWEST_ROW = 15; // pixels of a row with a label
const LOWEST_CELL = 24; // pixels of a cell with a readable number
const NUMBERED = 320; // pixels of a picture up to which cells have readable numbers
const REST_OF_PAGE = 530; // pixels above the cells and below them: with the picture they fill a window
const SENTENCE = 24; // more below the cells of a text of up to so many tokens: what changes without a link
const MOST_TRIED = 64;
const LEVEL = 0.71; // sin 45°: a slanted label's width and height as a share of its length
const STEEPEST = 22; // cell width from which labels are slanted, not vertical

/**
 * Degrees by which column labels are turned.
 * @typedef {0 | -45 | -90} Turn
 */

/**
 * @typedef {object} Layout
 * @property {Grid["area"]} area
 * @property {Turn} turn
 * @property {number} header height above the labels
 * @property {number} reach length of a column's label
 * @property {number} closest smallest distance between two row labels, and their largest text size
 * @property {number} width
 * @property {number} height
 * @property {boolean} isOnStage
 */

/**
 * The widest label of the rows and of the columns.
 * @typedef {{ rows: number, columns: number }} Widest
 */

/**
 * The size of a picture: its rows and columns, and the widths of its column labels.
 * @typedef {{ size: { rows: number, columns: number }, widest: Widest, columnWidths: number[] }} Extent
 */

/**
 * Labels cut to fit the margins.
 * @param {readonly string[]} labels @param {Block} block @param {Measure} measure
 * @returns {{ texts: string[], widest: Widest, columnWidths: number[] }}
 */
export function fitLabels(labels, block, measure) {
  const texts = labels.map((label) => fitted(label, LONGEST, measure));
  /** @param {Range} range */
  const widthsOf = ([from, to]) => texts.slice(from, to).map(measure);
  const columnWidths = widthsOf(block.columns);
  return {
    texts,
    widest: { rows: Math.max(...widthsOf(block.rows)), columns: Math.max(...columnWidths) },
    columnWidths,
  };
}

/**
 * The extent that fits each of several texts, so that their pictures have cells of one size in one place.
 * @param {readonly Extent[]} extents @returns {Extent}
 */
export function extentOfAll(extents) {
  /** @param {(extent: Extent) => number} numberOf */
  const most = (numberOf) => Math.max(...extents.map(numberOf));
  const columns = most(({ size }) => size.columns);
  /** @param {number} fromEnd */
  const widthOf = (fromEnd) => most(({ columnWidths }) => columnWidths.at(-1 - fromEnd) ?? 0);
  return {
    size: { rows: most(({ size }) => size.rows), columns },
    widest: { rows: most(({ widest }) => widest.rows), columns: most(({ widest }) => widest.columns) },
    columnWidths: Array.from({ length: columns }, (_, column) => widthOf(columns - 1 - column)),
  };
}

/**
 * The turn that fits each column's label above its cell.
 * @param {number} cell width
 * @param {number} widest label
 * @returns {Turn}
 */
export function turnOf(cell, widest) {
  if (widest <= cell - 5) return 0;
  return cell >= STEEPEST ? -45 : -90;
}

/**
 * How far slanted labels reach beyond the last cell.
 * @param {readonly number[]} widths of the columns' labels
 * @param {number} cell width
 */
function overhangOf(widths, cell) {
  const reaches = widths.map((width, column) => LEVEL * (width + LABEL) - (widths.length - column - 0.5) * cell);
  return Math.max(...reaches);
}

/**
 * The layout of a block. Cells have a largest useful size, so the picture of a short text is narrower than the page.
 * @param {object} page
 * @param {number} page.width
 * @param {number} page.windowHeight
 * @param {number | null} [page.stageRoom] height available on stage; null on the page
 * @param {Block} page.block
 * @param {Widest} page.widest
 * @param {readonly number[]} [page.columnWidths] of the column labels; default: the widest is the last
 * @param {{ rows: number, columns: number }} [page.size] to lay out for, if larger than the block
 * @param {boolean} [page.legend] whether there is a line under the cells
 * @returns {Layout}
 */
export function layoutOf(page) {
  const { width, windowHeight, stageRoom = null, block, widest, columnWidths, legend = false } = page;
  const own = sizeOf(block);
  const { rows, columns } = page.size ?? own;
  const left = Math.max(widest.rows + GAP + 4, 104);
  const slanted = LEVEL * (widest.columns + LABEL);
  /** @param {number} right margin */
  const widthWithMargin = (right) => {
    return wholeCells(Math.min(Math.max(width - left - right, 40), LARGEST_CELL * columns), columns);
  };
  const turn = turnOf(widthWithMargin(RIGHT) / columns, widest.columns);
  /** @param {number} margin */
  const withOverhang = (margin) =>
    Math.max(margin, overhangOf(columnWidths ?? [widest.columns], widthWithMargin(margin) / columns));
  // Twice, because a wider margin makes cells narrower, and labels then overhang farther.
  const right = turn === -45 ? withOverhang(withOverhang(RIGHT)) : RIGHT;
  const across = widthWithMargin(right);
  const labels = { 0: LABEL, [-45]: slanted, [-90]: widest.columns }[turn];
  const [header, foot] = stageRoom === null ? [HEADER, RIGHT] : [LOW_HEADER, LOW_FOOT];
  const top = header + Math.max(labels + GAP + 4, 24);
  const below = foot + (legend ? LEGEND : 0);
  const down =
    stageRoom === null
      ? heightOf(rows, columns, across, windowHeight)
      : heightOnStage(rows, columns, across, stageRoom - top - below);
  const height = (down / rows) * own.rows;
  return {
    area: { left, top, width: (across / columns) * own.columns, height },
    turn,
    header,
    reach: widest.columns + 4,
    closest: stageRoom === null ? LABEL_PITCH : CLOSEST_ON_STAGE,
    width: Math.max(left + across + right, Math.min(width, NARROWEST)),
    height: top + height + below,
    isOnStage: stageRoom !== null,
  };
}

/**
 * The height of the rows, given their width.
 * @param {number} rows @param {number} columns @param {number} across @param {number} windowHeight
 */
function heightOf(rows, columns, across, windowHeight) {
  const readable = Math.min(LOWEST_CELL * rows, NUMBERED);
  const least = Math.max(readable, rows <= TALLEST_LABELS ? LOWEST_ROW * rows : Math.min(rows, TALLEST));
  const square = (across / columns) * rows; // the height of square cells
  const most = Math.max(square, Math.min(across, 2 * square), 240); // cells of few rows may be twice as high as wide
  const rest = REST_OF_PAGE + (rows <= MOST_TRIED ? SENTENCE : 0);
  const wanted = Math.min(Math.max(windowHeight - rest, least), most, LARGEST_CELL * rows);
  return wholeCells(Math.round(wanted), rows);
}

/**
 * The height of the rows on stage: all that is available.
 * @param {number} rows @param {number} columns @param {number} across @param {number} room
 */
function heightOnStage(rows, columns, across, room) {
  const square = (across / columns) * rows;
  const least = CLOSEST_ON_STAGE * Math.min(rows, FEWEST_ROWS);
  return wholeCells(Math.round(clamped(room, least, Math.min(2 * square, LARGEST_CELL * rows))), rows);
}

/**
 * A length rounded to whole pixels for each of `count` cells, if they are large enough to lose few pixels.
 * @param {number} length @param {number} count
 */
function wholeCells(length, count) {
  return length / count < STEEPEST ? length : count * Math.floor(length / count);
}
