// What the heat map says beside its picture: tooltip, note, screen reader and table.
import { isIn, sizeOf } from "./block.mjs";
import { strongest } from "./cells.mjs";
import { isMarked } from "./marks.mjs";

/** A cell in words, as the tooltip says it: lines of three pieces each, names alone being bold. */
export function cellLines({ labels, numbers, weights, count, marks }, { row, column }) {
  const lines = [
    ["from ", labels[row], ` · position ${numbers[row]}`],
    ["to ", labels[column], ` · position ${numbers[column]}`],
    ["attention weight ", "", weights[row * count + column].toFixed(4)],
  ];
  return isMarked(marks, { row, column }) ? [...lines, ["marked: ", "", marks.name]] : lines;
}

export function spokenCell(scene, cell) {
  return cellLines(scene, cell)
    .map((line) => line.join(""))
    .join(", ");
}

/** How many cells the picture has: "13 by 13 tokens". */
export function sizeInWords(block) {
  const { rows, columns } = sizeOf(block);
  return `${rows} by ${columns} tokens`;
}

/** One line under the picture: what is not shown at this size. `rows` and `columns` are those in view. */
export function noteOf({ pool, steps, rows, columns, block, numbers, zoom }) {
  const part = zoom > 1 ? `In view: ${partInView({ rows, columns, block, numbers })}. ` : "";
  if (pool.down * pool.across > 1) {
    return `${part}Each pixel shows the largest of ${pool.down} × ${pool.across} weights; zoom in to see each.`;
  }
  const step = Math.max(steps.down, steps.across);
  if (step > 1) return `${part}There is room for one label in ${step}; zoom in for the others.`;
  return part;
}

function partInView({ rows, columns, block, numbers }) {
  const size = sizeOf(block);
  const range = (units) => units.map((unit) => numbers[unit]).join("–");
  if (size.rows === numbers.length && size.columns === numbers.length) {
    return `queries ${range(rows)} and keys ${range(columns)} of ${numbers.length}`;
  }
  const share = ([first, last], count) => `(${last - first + 1} of ${count})`;
  const queries = `queries ${range(rows)} ${share(rows, size.rows)}`;
  return `${queries} and keys ${range(columns)} ${share(columns, size.columns)}`;
}

/** Instead of a picture that would have no cells. */
export const NO_CELLS = "There are no cells here: one of the two sentences has no token that is shown.";

/** What mouse and keys do, in a picture that can be enlarged or not. */
export function howOf(zooms) {
  const select = "A click selects a cell, Escape releases it.";
  if (!zooms) return select;
  const zoom =
    "Drag over a part to enlarge it, double-click to go back. Ctrl or ⌘ with the wheel zooms; the wheel alone, or ";
  return `${zoom}a drag with Shift, moves an enlarged picture. ${select}`;
}

/** The table twin: all weights of the pinned query, or every query's strongest key, as far as they are drawn. */
export function tableOf(scene, query) {
  const { labels, numbers, weights, count, existing } = scene;
  const name = (at) => `${numbers[at]}: ${labels[at]}`;
  const weight = (row, column) => weights[row * count + column];
  const { rows, columns } = existing;
  const all = ([from, to]) => Array.from({ length: to - from }, (_, index) => from + index);
  if (isIn(rows, query)) {
    return {
      caption: `${scene.title}: what ${name(query)} attends to`,
      header: ["key (to)", "weight"],
      rows: all(columns).map((at) => [name(at), weight(query, at).toFixed(4)]),
    };
  }
  const best = all(rows)
    .map((row) => [row, strongest(weights, count, row, columns)])
    .filter(([, at]) => at >= 0);
  return {
    caption: `${scene.title}: the key with the largest weight of every query; select a cell to see all of its row`,
    header: ["query (from)", "key (to)", "weight"],
    rows: best.map(([row, column]) => [name(row), name(column), weight(row, column).toFixed(4)]),
  };
}
