// Which part of the N × N cells is in view: { zoom, row, column }, the last two being what stands at the upper left,
// counted in cells. All of it is in view at zoom 1. Areas are { left, top, width, height } in CSS pixels.

export const WHOLE = Object.freeze({ zoom: 1, row: 0, column: 0 });
export const LARGEST_CELL = 64; // width in pixels, up to which there is something to gain
export const READABLE_CELL = 34; // width in pixels, in which a weight can be read
const LABEL_PITCH = 15; // pixels from one label of 14 to the next

/** How much larger cells may become; those that hold their numbers are large enough. */
export function largestZoom(area, count) {
  const across = area.width / count;
  return across < READABLE_CELL ? LARGEST_CELL / across : 1;
}

/** Width and height of a cell in pixels. */
export function cellSize(area, frame, count) {
  return { across: (area.width * frame.zoom) / count, down: (area.height * frame.zoom) / count };
}

/** The nearest frame that shows nothing but cells. */
export function clamped({ zoom, row, column }, count, most) {
  const kept = Math.min(Math.max(zoom, 1), most);
  const last = count - count / kept;
  const into = (at) => Math.min(Math.max(at, 0), last);
  return { zoom: kept, row: into(row), column: into(column) };
}

/** `factor` times as large, with the point at { row, column } staying where it is. */
export function zoomedAt(frame, factor, at, count, most) {
  const zoom = Math.min(Math.max(frame.zoom * factor, 1), most);
  const shrunk = frame.zoom / zoom;
  const row = at.row - (at.row - frame.row) * shrunk;
  const column = at.column - (at.column - frame.column) * shrunk;
  return clamped({ zoom, row, column }, count, most);
}

export function panned(frame, rows, columns, count) {
  return clamped({ ...frame, row: frame.row + rows, column: frame.column + columns }, count, frame.zoom);
}

/** The closest frame in which everything between two points can be seen. */
export function enlarged(from, to, count, most) {
  const across = Math.abs(to.column - from.column);
  const down = Math.abs(to.row - from.row);
  const zoom = Math.min(Math.max(count / Math.max(across, down), 1), most);
  const half = count / zoom / 2;
  const row = (from.row + to.row) / 2 - half;
  const column = (from.column + to.column) / 2 - half;
  return clamped({ zoom, row, column }, count, most);
}

/** Moved as little as shows the whole cell. */
export function revealing(frame, cell, count) {
  const seen = count / frame.zoom;
  const into = (first, at) => Math.max(Math.min(first, at), at + 1 - seen);
  return clamped({ ...frame, row: into(frame.row, cell.row), column: into(frame.column, cell.column) }, count, frame.zoom);
}

/** The point under the pointer in cells, fractions included; outside of the area it may be no cell. */
export function pointAt(area, frame, count, x, y) {
  const { across, down } = cellSize(area, frame, count);
  return { row: frame.row + (y - area.top) / down, column: frame.column + (x - area.left) / across };
}

/** The middle of a cell on the page. */
export function placeOfCell(area, frame, count, { row, column }) {
  const { across, down } = cellSize(area, frame, count);
  return { x: area.left + (column + 0.5 - frame.column) * across, y: area.top + (row + 0.5 - frame.row) * down };
}

/** The cell under the pointer, or null. */
export function cellAt(area, frame, count, x, y) {
  const within = x >= area.left && x < area.left + area.width && y >= area.top && y < area.top + area.height;
  if (!within) return null;
  const { row, column } = pointAt(area, frame, count, x, y);
  return { row: Math.min(Math.floor(row), count - 1), column: Math.min(Math.floor(column), count - 1) };
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
