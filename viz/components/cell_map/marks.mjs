// Cells that are marked because something is known of them, and the line under the picture that says what.
import { fitted } from "../shared/page.mjs";
import { inBlock } from "./block.mjs";
import { cellSize, placeOfCell } from "./frame.mjs";

export const LEGEND = 24; // height of that line
const SAMPLE = { across: 20, down: 14 }; // of an outline, in that line
const SAMPLE_GAP = 8; // between it and what it means
const DOT = 9; // pixels of a cell's shorter side, below which there is no room for an outline
const BOLD = 22; // and from which an outline is thicker
const ROOMY = 44; // pixels of a cell's width, from which both of its lines are, beside a number

/** The marks in a block, from pairs of units [query, key] and a phrase that says what they are: { name, cells }. */
export function marksIn(block, pairs, name) {
  const cells = (pairs ?? []).map(([row, column]) => ({ row, column }));
  return { name, cells: cells.filter((cell) => inBlock(block, cell)) };
}

export function isMarked({ cells }, { row, column }) {
  return cells.some((cell) => cell.row === row && cell.column === column);
}

/** An outline inside each marked cell that exists. */
export function drawMarks(painter, scene) {
  const size = cellSize(scene, scene.frame);
  for (const cell of scene.marks.cells) {
    if (inBlock(scene.existing, cell)) {
      const { x, y } = placeOfCell(scene, scene.frame, cell);
      drawMark(painter, x, y, size, scene.colours);
    }
  }
}

/** Two lines, in the page's darkest and its lightest: one of them shows on every weight. A dot where they have no room. */
function drawMark(painter, x, y, { across, down }, { text, background }) {
  const side = Math.min(across, down);
  const rect = (width, height, style) => painter.rect(x - width / 2, y - height / 2, width, height, style);
  if (side < DOT) {
    rect(5, 5, { fill: background });
    rect(3, 3, { fill: text });
    return;
  }
  const outer = side < BOLD ? 1 : 2;
  const inner = across < ROOMY ? 1 : outer;
  const line = (inset, lineWidth, stroke) => rect(across - 2 * inset, down - 2 * inset, { stroke, lineWidth });
  line(1 + outer / 2, outer, text); // from a pixel inside of the cell's edge
  line(1 + outer + inner / 2, inner, background);
}

/** What is marked, cut to its line in a picture; empty where no mark is in the block. */
export function legendOf({ marks, area, width }, measure) {
  return marks.cells.length ? fitted(marks.name, width - area.left - SAMPLE.across - SAMPLE_GAP, measure) : "";
}

/** That line, with a mark in front of it. */
export function drawLegend(painter, { area, height, legend, colours, ink }) {
  if (!legend) return;
  const y = height - LEGEND / 2;
  drawMark(painter, area.left + SAMPLE.across / 2, y, SAMPLE, colours);
  painter.text(area.left + SAMPLE.across + SAMPLE_GAP, y, legend, { colour: ink.muted, size: 14 });
}
