// Which part of a block of cells is in view, how zooming and panning change it, and where its cells lie on the page.
import { HORIZONTAL, VERTICAL, movedWithin } from "../shared/keys.mjs";
import { clamped as within } from "../shared/ranges.mjs";
import { nearestIn, sizeOf } from "./block.mjs";
/** @import { Block, Cell } from "./block.mjs" */

/**
 * The part in view: its zoom, and the row and column at its upper left. Zoom 1 shows the whole block.
 * @typedef {{ zoom: number, row: number, column: number }} Frame
 */

/**
 * The block of cells and its area on the page in CSS pixels; `readable` is the width of a cell whose number is written.
 * A framed one has the part in view.
 * @typedef {{ area: { left: number, top: number, width: number, height: number }, block: Block, readable?: number }} Grid
 * @typedef {Grid & { frame: Frame }} Framed
 */

/**
 * @typedef {{ across: number, down: number }} Sides of a cell, in pixels or in cells
 * @typedef {Sides} Pool
 * @typedef {{ x: number, y: number }} Place
 */

/** @type {Frame} */
export const WHOLE = Object.freeze({ zoom: 1, row: 0, column: 0 });
export const LARGEST_CELL = 64; // pixels of width, beyond which a cell is no easier to read
export const READABLE_CELL = 34; // pixels of width for a number such as "0.80"
export const SHORT_NUMBER = 22; // pixels of width for a weight, ".80"
const READABLE_ROW = 24; // pixels of height, for rows that are too low for their labels
export const LABEL_PITCH = 14; // pixels between two readable labels of size 14

/** Width and height of a cell in pixels while all of them are in view. @param {Grid} grid @returns {Sides} */
function smallestCell({ area, block }) {
  const { rows, columns } = sizeOf(block);
  return { across: area.width / columns, down: area.height / rows };
}

/**
 * The largest useful zoom of a cell's side; a side with a readable number is not enlarged.
 * @param {number} side @param {Grid} grid
 */
const usefulZoom = (side, { readable = READABLE_CELL }) => (side < readable ? LARGEST_CELL / side : 1);

/** @param {Grid} grid */
export function largestZoom(grid) {
  const { across, down } = smallestCell(grid);
  return Math.max(usefulZoom(across, grid), down < LABEL_PITCH ? READABLE_ROW / down : 1);
}

/**
 * The zoom of both sides: few wide columns stay in view while many low rows grow.
 * @param {Grid} grid @param {number} zoom @returns {Sides}
 */
function zoomsAt(grid, zoom) {
  const { across, down } = smallestCell(grid);
  return { across: Math.min(zoom, usefulZoom(across, grid)), down: Math.min(zoom, usefulZoom(down, grid)) };
}

/** @param {Framed} framed */
export const zoomsOf = (framed) => zoomsAt(framed, framed.frame.zoom);

/** Width and height of a cell in pixels. @param {Framed} framed @returns {Sides} */
export function cellSize(framed) {
  const [cell, zooms] = [smallestCell(framed), zoomsOf(framed)];
  return { across: cell.across * zooms.across, down: cell.down * zooms.down };
}

/** How many rows and columns are in view, including partial ones. @param {Grid} grid @param {number} zoom */
function shownCells(grid, zoom) {
  const [{ rows, columns }, zooms] = [sizeOf(grid.block), zoomsAt(grid, zoom)];
  return { rows: rows / zooms.down, columns: columns / zooms.across };
}

/** The nearest frame inside the block. @param {Grid} grid @param {Frame} frame @returns {Frame} */
export function clamped(grid, frame) {
  const zoom = within(frame.zoom, 1, largestZoom(grid));
  const { rows, columns } = grid.block;
  const shown = shownCells(grid, zoom);
  return {
    zoom,
    row: within(frame.row, rows[0], rows[1] - shown.rows),
    column: within(frame.column, columns[0], columns[1] - shown.columns),
  };
}

/**
 * The frame zoomed by `factor` about a fixed point.
 * @param {Framed} framed @param {number} factor @param {Cell} point
 */
export function zoomedAt(framed, factor, point) {
  const { frame } = framed;
  const zoom = within(frame.zoom * factor, 1, largestZoom(framed));
  const [before, after] = [zoomsOf(framed), zoomsAt(framed, zoom)];
  const row = point.row - ((point.row - frame.row) * before.down) / after.down;
  const column = point.column - ((point.column - frame.column) * before.across) / after.across;
  return clamped(framed, { zoom, row, column });
}

/**
 * The closest frame that shows everything between two points.
 * @param {Grid} grid @param {Cell} from @param {Cell} to
 */
export function enlarged(grid, from, to) {
  const { rows, columns } = sizeOf(grid.block);
  const most = zoomsAt(grid, Infinity);
  // A side that fits at its largest zoom does not limit the other side.
  /** @type {(count: number, span: number, largest: number) => number} */
  const fitting = (count, span, largest) => (count / span < largest ? count / span : Infinity);
  const zoom = within(
    Math.min(
      fitting(rows, Math.abs(to.row - from.row), most.down),
      fitting(columns, Math.abs(to.column - from.column), most.across),
    ),
    1,
    largestZoom(grid),
  );
  const shown = shownCells(grid, zoom);
  const row = (from.row + to.row - shown.rows) / 2;
  const column = (from.column + to.column - shown.columns) / 2;
  return clamped(grid, { zoom, row, column });
}

/** The frame moved as little as needed to show a cell. @param {Framed} framed @param {Cell} cell */
export function revealing(framed, cell) {
  const { frame } = framed;
  const shown = shownCells(framed, frame.zoom);
  /** @type {(first: number, index: number, length: number) => number} */
  const moved = (first, index, length) => Math.max(Math.min(first, index), index + 1 - length);
  const row = moved(frame.row, cell.row, shown.rows);
  return clamped(framed, { ...frame, row, column: moved(frame.column, cell.column, shown.columns) });
}

/** The upper left corner of a cell on the page. @param {Framed} framed @param {Cell} cell @returns {Place} */
export function cornerOf(framed, { row, column }) {
  const { area, frame } = framed;
  const { across, down } = cellSize(framed);
  return { x: area.left + (column - frame.column) * across, y: area.top + (row - frame.row) * down };
}

/** The middle of a cell on the page. @param {Framed} framed @param {Cell} cell */
export function placeOfCell(framed, { row, column }) {
  return cornerOf(framed, { row: row + 0.5, column: column + 0.5 });
}

/**
 * A point in cells, with fractions; outside of the area it may be no cell.
 * @param {Framed} framed @param {Place} place
 */
function pointAt(framed, { x, y }) {
  const { area, frame } = framed;
  const { across, down } = cellSize(framed);
  return { row: frame.row + (y - area.top) / down, column: frame.column + (x - area.left) / across };
}

/** The cell under the pointer, or null. @param {Framed} framed @param {Place} place @returns {Cell | null} */
export function cellAt(framed, { x, y }) {
  const { area, block } = framed;
  const isInside = x >= area.left && x < area.left + area.width && y >= area.top && y < area.top + area.height;
  if (!isInside) return null;
  const { row, column } = pointAt(framed, { x, y });
  return {
    row: Math.min(Math.floor(row), block.rows[1] - 1),
    column: Math.min(Math.floor(column), block.columns[1] - 1),
  };
}

/**
 * Rows and columns that are in view, the last of them included.
 * @param {Framed} framed @returns {{ rows: [first: number, last: number], columns: [first: number, last: number] }}
 */
export function inView(framed) {
  const { frame, block } = framed;
  const shown = shownCells(framed, frame.zoom);
  /** @type {(first: number, length: number, end: number) => [number, number]} */
  const range = (first, length, end) => [Math.floor(first), Math.min(end - 1, Math.ceil(first + length) - 1)];
  const { rows, columns } = block;
  return { rows: range(frame.row, shown.rows, rows[1]), columns: range(frame.column, shown.columns, columns[1]) };
}

/** Whether at least the middle of a cell is in view. @param {Framed} framed @param {Cell} cell */
export function isInView(framed, cell) {
  const { left, top, width, height } = framed.area;
  const { x, y } = placeOfCell(framed, cell);
  return x >= left && x <= left + width && y >= top && y <= top + height;
}

/**
 * The interval of labels, in cells.
 * @param {number} pitch pixels from one cell to the next
 * @param {number} [least] pixels from one label to the next
 */
export function labelStep(pitch, least = LABEL_PITCH) {
  return Math.max(1, Math.ceil(least / pitch - 0.01));
}

/**
 * How many cells share a screen pixel; at least 1.
 * @param {Sides} cell in pixels
 * @param {number} ratio pixels of the screen for one of the page
 * @returns {Pool}
 */
export function poolOf({ across, down }, ratio) {
  /** @param {number} side */
  const cells = (side) => Math.max(1, Math.ceil(1 / (side * ratio) - 0.001));
  return { across: cells(across), down: cells(down) };
}

const ROW_STEPS = { ...VERTICAL, PageUp: -Infinity, PageDown: Infinity };
const COLUMN_STEPS = { ...HORIZONTAL, Home: -Infinity, End: Infinity };

/**
 * The cell that a key moves the cursor to, or null.
 * @param {string} key @param {Cell} cell @param {Block} block @returns {Cell | null}
 */
export function movedCell(key, { row, column }, { rows, columns }) {
  const [toRow, toColumn] = [movedWithin(key, row, rows, ROW_STEPS), movedWithin(key, column, columns, COLUMN_STEPS)];
  if (toRow !== null) return { row: toRow, column };
  return toColumn === null ? null : { row, column: toColumn };
}

/**
 * The first cell of the keyboard: the pinned one if it is in view, else the upper left one.
 * @param {Framed} framed @param {Cell} pinned
 */
export function firstCell(framed, pinned) {
  const { rows, columns } = inView(framed);
  const corner = { row: Math.ceil(framed.frame.row), column: Math.ceil(framed.frame.column) };
  const start = pinned.row >= 0 && pinned.column >= 0 ? pinned : corner;
  return nearestIn({ rows: [rows[0], rows[1] + 1], columns: [columns[0], columns[1] + 1] }, start);
}

/**
 * The last frame of each view, restored when the view is mounted again.
 * @type {Map<string, { text: string, frame: Frame }>}
 */
const lastFrames = new Map();

export class Viewport {
  frame = WHOLE;
  /** @type {Grid | null} */
  #grid = null;
  #place = "";
  #text = "";

  /** @param {() => void} moved called when another part is in view */
  constructor(moved) {
    this.moved = moved;
  }

  /**
   * Restore the last frame of a text.
   * @param {string} place key of the view on the page
   * @param {string} text
   * @returns {boolean} whether the text changed
   */
  open(place, text) {
    if (text === this.#text) return false;
    const last = lastFrames.get(place);
    this.frame = last?.text === text ? last.frame : WHOLE;
    [this.#place, this.#text] = [place, text];
    return true;
  }

  /** Fit a new size of the page. @param {Grid} grid */
  fit(grid) {
    this.#grid = grid;
    this.#change(({ frame }) => frame);
  }

  showAll() {
    this.#change(() => WHOLE);
  }

  /** @param {Sides} pixels @returns {boolean} whether another part is in view */
  pan({ across, down }) {
    return this.#change((framed) => {
      const [{ frame }, size] = [framed, cellSize(framed)];
      return { ...frame, row: frame.row + down / size.down, column: frame.column + across / size.across };
    });
  }

  /**
   * Zoom about a point of the canvas, else about a cell, else about the middle.
   * @param {number} factor @param {Place | null} place @param {Cell | null} cell
   * @returns {boolean} whether another part is in view
   */
  zoom(factor, place, cell) {
    return this.#change((framed) => {
      const { left, top, width, height } = framed.area;
      const middle = { x: left + width / 2, y: top + height / 2 };
      const about = place ?? (cell ? placeOfCell(framed, cell) : middle);
      return zoomedAt(framed, factor, pointAt(framed, about));
    });
  }

  /** Zoom in on the box between two points of the canvas. @param {Place} from @param {Place} to */
  enlarge(from, to) {
    this.#change((framed) => {
      const { left, top, width, height } = framed.area;
      const [start, end] = [from, to].map(({ x, y }) =>
        pointAt(framed, { x: within(x, left, left + width), y: within(y, top, top + height) }),
      );
      return enlarged(framed, start, end);
    });
  }

  /** Scroll as little as needed to show a cell. @param {Cell} cell */
  reveal(cell) {
    this.#change((framed) => revealing(framed, cell));
  }

  /** @param {(framed: Framed) => Frame} next */
  #change(next) {
    if (!this.#grid) return false;
    const [frame, last] = [clamped(this.#grid, next({ ...this.#grid, frame: this.frame })), this.frame];
    const changes = [frame.zoom - last.zoom, frame.row - last.row, frame.column - last.column];
    this.frame = frame;
    lastFrames.set(this.#place, { text: this.#text, frame });
    const isOther = changes.some((change) => Math.abs(change) >= 1e-9);
    if (isOther) this.moved();
    return isOther;
  }
}
