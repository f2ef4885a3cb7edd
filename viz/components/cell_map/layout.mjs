// @ts-check
// Where the cells of a heat map lie on the page, and what their labels have room for. Sizes are CSS pixels.
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
export const LOW_HEADER = 24; // colour bar and the name of the columns: before an audience a line says what is seen
export const GAP = 6; // between a label and the cells
export const RIGHT = 16; // the last column's label hangs over, and the bar that shows the part in view
const LONGEST = 116; // a label's width
const TALLEST_LABELS = 46; // so many rows are all named, even if that makes the picture higher
const TALLEST = 700; // height that gives each of many rows a pixel
const NARROWEST = 640; // of the picture, where the page has as much: title, buttons and colour bar need it
const LOW_FOOT = 4; // pixels under the cells before an audience
const CLOSEST_ON_STAGE = 11; // pixels of a row with a label, where the rows of a text must not be higher
const FEWEST_ROWS = 8; // that have room before an audience, however little there is
const LOWEST_ROW = 15; // pixels of a row with a label
const LEVEL = 0.71; // share of a slanted label's length that counts across, and downwards
const STEEPEST = 22; // width of a cell from which labels are slanted instead of upright

/**
 * Degrees by which column labels are turned.
 * @typedef {0 | -45 | -90} Turn
 */

/**
 * @typedef {object} Layout
 * @property {Grid["area"]} area
 * @property {Turn} turn
 * @property {number} header height of what stands above the labels
 * @property {number} reach length of a column's label
 * @property {number} closest pixels from one row's label to the next at least, which its text is no larger than
 * @property {number} width
 * @property {number} height
 */

/**
 * The widest label of the rows and of the columns.
 * @typedef {{ rows: number, columns: number }} Widest
 */

/**
 * What a picture needs room for: its rows and columns, and the widths of its columns' labels.
 * @typedef {{ size: { rows: number, columns: number }, widest: Widest, columnWidths: number[] }} Extent
 */

/**
 * Labels cut to what the margins have room for.
 * @param {readonly string[]} labels
 * @param {Block} block
 * @param {Measure} measure
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
 * The size, and the widths of labels, that have room for each of several texts: pictures that are laid out for them
 * have cells of one size in one place.
 * @param {readonly Extent[]} extents
 * @returns {Extent}
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
 * The turn that gives each column's label room over its cell.
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
 * Where the cells of a block lie. Cells of a short text are as large as is of use, and the picture is then narrower
 * than the page.
 * @param {object} page
 * @param {number} page.width
 * @param {number} page.windowHeight
 * @param {number | null} [page.stageRoom] height that all of it has before an audience; null on the page
 * @param {Block} page.block
 * @param {Widest} page.widest
 * @param {readonly number[]} [page.columnWidths] of the columns' labels; the last one is the widest where that is not known
 * @param {{ rows: number, columns: number }} [page.size] that the cells have room for, where it is more than the block's
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
  const acrossBeside = (right) => {
    return wholeCells(Math.min(Math.max(width - left - right, 40), LARGEST_CELL * columns), columns);
  };
  const turn = turnOf(acrossBeside(RIGHT) / columns, widest.columns);
  /** @param {number} margin */
  const withOverhang = (margin) =>
    Math.max(margin, overhangOf(columnWidths ?? [widest.columns], acrossBeside(margin) / columns));
  // Twice, because a wider margin makes narrower cells, over which labels reach farther.
  const right = turn === -45 ? withOverhang(withOverhang(RIGHT)) : RIGHT;
  const across = acrossBeside(right);
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
  };
}

/**
 * The height of so many rows, beside so much width.
 * @param {number} rows
 * @param {number} columns
 * @param {number} across
 * @param {number} windowHeight
 */
function heightOf(rows, columns, across, windowHeight) {
  const least = rows <= TALLEST_LABELS ? LOWEST_ROW * rows : Math.min(rows, TALLEST);
  const square = (across / columns) * rows; // the height at which cells are as high as wide
  const most = Math.max(square, Math.min(across, 2 * square), 240); // cells of few rows may be twice as high as wide
  const wanted = clamped(Math.max(0.56 * windowHeight, least), 400, Math.min(most, LARGEST_CELL * rows));
  return wholeCells(Math.round(wanted), rows);
}

/**
 * The height of so many rows before an audience: all that there is.
 * @param {number} rows
 * @param {number} columns
 * @param {number} across
 * @param {number} room
 */
function heightOnStage(rows, columns, across, room) {
  const square = (across / columns) * rows;
  const least = CLOSEST_ON_STAGE * Math.min(rows, FEWEST_ROWS);
  return wholeCells(Math.round(clamped(room, least, Math.min(2 * square, LARGEST_CELL * rows))), rows);
}

/**
 * A length that `count` cells share without fractions of a pixel, where they are so large that few pixels are lost.
 * @param {number} length
 * @param {number} count
 */
function wholeCells(length, count) {
  return length / count < STEEPEST ? length : count * Math.floor(length / count);
}
