// The block of a layer's square matrix that is drawn: { rows: [from, to), columns: [from, to) }. Cells are counted in
// units of the whole text everywhere, so that a block moves nothing but where they stand.

/** The rows and columns that a filter such as "A→B" shows. */
export function blockOf(sentences, bStart, count) {
  const all = [0, count];
  if (sentences === "all" || bStart === null) return { rows: all, columns: all };
  const [rows, columns] = sentences.split("→").map((letter) => (letter === "B" ? [bStart, count] : [0, bStart]));
  return { rows, columns };
}

/** How many rows and columns a block has. */
export function sizeOf({ rows, columns }) {
  return { rows: rows[1] - rows[0], columns: columns[1] - columns[0] };
}

/** Whether a range [from, to) has a unit. */
export function isIn([from, to], unit) {
  return unit >= from && unit < to;
}

export function inBlock({ rows, columns }, { row, column }) {
  return isIn(rows, row) && isIn(columns, column);
}

/** The nearest cell of a block; a block of no cells gives one that is outside of it. */
export function nearestIn({ rows, columns }, { row, column }) {
  const into = ([from, to], at) => Math.max(from, Math.min(to - 1, at));
  return { row: into(rows, row), column: into(columns, column) };
}
