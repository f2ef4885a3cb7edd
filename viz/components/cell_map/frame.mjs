// Which part of a block of cells is in view: { zoom, row, column }, the last two being what stands at the upper left.
// All of the block is in view at zoom 1. A `grid` has { area, block }: where the cells lie on the page, { left, top,
// width, height } in CSS pixels, and which they are.
import { sizeOf } from "./block.mjs";

export const WHOLE = Object.freeze({ zoom: 1, row: 0, column: 0 });
export const LARGEST_CELL = 64; // width in pixels, up to which there is something to gain
export const READABLE_CELL = 34; // width in pixels, in which a weight can be read
const READABLE_ROW = 24; // height to which rows come that are too low for their labels
const LABEL_PITCH = 15; // pixels from one label of 14 to the next

/** Width and height of a cell in pixels while all of them are in view. */
function smallestCell({ area, block }) {
  const { rows, columns } = sizeOf(block);
  return { across: area.width / columns, down: area.height / rows };
}

/** How many times as large it is of use to make a side of a cell; one that holds a number is large enough. */
function usefulZoom(side) {
  return side < READABLE_CELL ? LARGEST_CELL / side : 1;
}

/** How much larger cells may become. */
export function largestZoom(grid) {
  const { across, down } = smallestCell(grid);
  return Math.max(usefulZoom(across), down < LABEL_PITCH ? READABLE_ROW / down : 1);
}

/** What a zoom makes of both sides: few wide columns stay in view while many low rows become higher. */
export function zoomsOf(grid, { zoom }) {
  const { across, down } = smallestCell(grid);
  return { across: Math.min(zoom, usefulZoom(across)), down: Math.min(zoom, usefulZoom(down)) };
}

/** Width and height of a cell in pixels. */
export function cellSize(grid, frame) {
  const [cell, zooms] = [smallestCell(grid), zoomsOf(grid, frame)];
  return { across: cell.across * zooms.across, down: cell.down * zooms.down };
}

/** How many rows and columns are in view, parts of them counted. */
export function seenOf(grid, frame) {
  const [{ rows, columns }, zooms] = [sizeOf(grid.block), zoomsOf(grid, frame)];
  return { rows: rows / zooms.down, columns: columns / zooms.across };
}

/** The nearest frame that shows nothing but cells of the block. */
export function clamped(grid, frame) {
  const zoom = Math.min(Math.max(frame.zoom, 1), largestZoom(grid));
  const { block } = grid;
  const seen = seenOf(grid, { zoom });
  const into = ([from, to], at, length) => Math.min(Math.max(at, from), to - length);
  return { zoom, row: into(block.rows, frame.row, seen.rows), column: into(block.columns, frame.column, seen.columns) };
}

/** `factor` times as large, with the point at { row, column } staying where it is. */
export function zoomedAt(grid, frame, factor, at) {
  const zoom = Math.min(Math.max(frame.zoom * factor, 1), largestZoom(grid));
  const [before, after] = [zoomsOf(grid, frame), zoomsOf(grid, { zoom })];
  const row = at.row - ((at.row - frame.row) * before.down) / after.down;
  const column = at.column - ((at.column - frame.column) * before.across) / after.across;
  return clamped(grid, { zoom, row, column });
}

export function panned(grid, frame, rows, columns) {
  return clamped(grid, { ...frame, row: frame.row + rows, column: frame.column + columns });
}

/** The closest frame in which everything between two points can be seen. */
export function enlarged(grid, from, to) {
  const { rows, columns } = sizeOf(grid.block);
  const most = zoomsOf(grid, { zoom: Infinity });
  // A side that is in view at its largest, too, holds back nothing.
  const fitting = (count, span, largest) => (count / span < largest ? count / span : Infinity);
  const zoom = Math.min(
    fitting(rows, Math.abs(to.row - from.row), most.down),
    fitting(columns, Math.abs(to.column - from.column), most.across),
  );
  const { zoom: kept } = clamped(grid, { ...WHOLE, zoom });
  const seen = seenOf(grid, { zoom: kept });
  const row = (from.row + to.row - seen.rows) / 2;
  const column = (from.column + to.column - seen.columns) / 2;
  return clamped(grid, { zoom: kept, row, column });
}

/** Moved as little as shows the whole cell. */
export function revealing(grid, frame, cell) {
  const seen = seenOf(grid, frame);
  const into = (first, at, length) => Math.max(Math.min(first, at), at + 1 - length);
  const row = into(frame.row, cell.row, seen.rows);
  return clamped(grid, { ...frame, row, column: into(frame.column, cell.column, seen.columns) });
}

/** Where the upper left of a cell stands on the page. */
export function cornerOf(grid, frame, { row, column }) {
  const { across, down } = cellSize(grid, frame);
  return { x: grid.area.left + (column - frame.column) * across, y: grid.area.top + (row - frame.row) * down };
}

/** The middle of a cell on the page. */
export function placeOfCell(grid, frame, { row, column }) {
  return cornerOf(grid, frame, { row: row + 0.5, column: column + 0.5 });
}

/** The point under the pointer in cells, fractions included; outside of the area it may be no cell. */
export function pointAt(grid, frame, x, y) {
  const { across, down } = cellSize(grid, frame);
  return { row: frame.row + (y - grid.area.top) / down, column: frame.column + (x - grid.area.left) / across };
}

/** The cell under the pointer, or null. */
export function cellAt(grid, frame, x, y) {
  const { area, block } = grid;
  const within = x >= area.left && x < area.left + area.width && y >= area.top && y < area.top + area.height;
  if (!within) return null;
  const { row, column } = pointAt(grid, frame, x, y);
  return {
    row: Math.min(Math.floor(row), block.rows[1] - 1),
    column: Math.min(Math.floor(column), block.columns[1] - 1),
  };
}

/** Cells that are in view, as [first, last] rows and columns. */
export function inView(grid, frame) {
  const seen = seenOf(grid, frame);
  const range = (first, length, to) => [Math.floor(first), Math.min(to - 1, Math.ceil(first + length) - 1)];
  const { rows, columns } = grid.block;
  return { rows: range(frame.row, seen.rows, rows[1]), columns: range(frame.column, seen.columns, columns[1]) };
}

/** Every how many cells there is room for a label. */
export function labelStep(pitch) {
  return Math.max(1, Math.ceil(LABEL_PITCH / pitch - 0.01));
}

/** How many cells share a pixel of the screen; 1 where each has one or more. */
export function poolOf({ across, down }, ratio) {
  const cells = (size) => Math.max(1, Math.ceil(1 / (size * ratio) - 0.001));
  return { across: cells(across), down: cells(down) };
}

/** Where a key moves the cursor, or null if it is not one of ours. */
export function movedCell(key, { row, column }, { rows, columns }) {
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, columns[0]],
    End: [row, columns[1] - 1],
    PageUp: [rows[0], column],
    PageDown: [rows[1] - 1, column],
  };
  return Object.hasOwn(moves, key) ? { row: moves[key][0], column: moves[key][1] } : null;
}
