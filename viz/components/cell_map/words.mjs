// What the heat map says beside its picture: tooltip, note, screen reader and table.
import { HIDDEN, strongest } from "./cells.mjs";

/** The unit that contains a token position, or -1. */
export function unitOf(positions, position) {
  return position < 0 ? -1 : positions.findIndex((members) => members.includes(position));
}

/** A cell in words, as the tooltip says it: three lines of pieces, names alone being bold. */
export function cellLines({ labels, weights, count }, { row, column }) {
  return [
    ["from ", labels[row], ` · position ${row}`],
    ["to ", labels[column], ` · position ${column}`],
    ["attention weight ", "", weights[row * count + column].toFixed(4)],
  ];
}

export function spokenCell(scene, cell) {
  return cellLines(scene, cell).map((line) => line.join("")).join(", ");
}

/** One line under the picture: what is not shown at this size. */
export function noteOf({ pool, steps, rows, columns, count, zoom }) {
  const part = zoom > 1 ? `In view: queries ${rows.join("–")} and keys ${columns.join("–")} of ${count}. ` : "";
  if (pool.down * pool.across > 1) {
    return `${part}Each pixel shows the largest of ${pool.down} × ${pool.across} weights; zoom in to see each.`;
  }
  const step = Math.max(steps.down, steps.across);
  if (step > 1) return `${part}There is room for one label in ${step}; zoom in for the others.`;
  return part;
}

/** What mouse and keys do, in a picture that can be enlarged or not. */
export function howOf(zooms) {
  const select = "A click selects a cell, Escape releases it.";
  if (!zooms) return select;
  const zoom = "Drag over a part to enlarge it, double-click to go back. Ctrl or ⌘ with the wheel zooms; the wheel alone, or ";
  return `${zoom}a drag with Shift, moves an enlarged picture. ${select}`;
}

/** The table twin: all weights of the pinned query, or every query's strongest key. */
export function tableOf(scene, query) {
  const { labels, weights, count } = scene;
  const name = (at) => `${at}: ${labels[at]}`;
  const weight = (row, column) => weights[row * count + column];
  const all = labels.map((_, at) => at);
  if (query >= 0) {
    return {
      caption: `${scene.title}: what ${name(query)} attends to`,
      header: ["key (to)", "weight"],
      rows: all.filter((at) => weight(query, at) !== HIDDEN).map((at) => [name(at), weight(query, at).toFixed(4)]),
    };
  }
  const best = all.map((row) => [row, strongest(weights, count, row)]).filter(([, column]) => column >= 0);
  return {
    caption: `${scene.title}: the key with the largest weight of every query; select a cell to see all of its row`,
    header: ["query (from)", "key (to)", "weight"],
    rows: best.map(([row, column]) => [name(row), name(column), weight(row, column).toFixed(4)]),
  };
}
