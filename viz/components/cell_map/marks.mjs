// Marked cells, and the legend under the picture that explains the mark.
import { fitted } from "../shared/text.mjs";
import { inBlock } from "./block.mjs";
import { cellSize, placeOfCell } from "./frame.mjs";
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Colours, Painter, RectStyle } from "../shared/types.mjs" */
/** @import { Block, Cell } from "./block.mjs" */
/** @import { Place, Sides } from "./frame.mjs" */
/** @import { Drawing, LaidOut } from "./scene.mjs" */

export const LEGEND = 24; // pixels, height of the line under the picture
const SAMPLE = { across: 20, down: 14 }; // pixels of the outline in that line
const SAMPLE_GAP = 8; // pixels between the outline and its text
const DOT = 9; // pixels of a cell's shorter side, below which a dot replaces the outline
const BOLD = 22; // pixels of a cell's shorter side, from which an outline is thicker
const ROOMY = 44; // pixels of a cell's width, from which both lines are thick next to a number

/**
 * Marked cells, and a phrase that names them.
 * @typedef {{ name: string, cells: Cell[] }} Marks
 */

/**
 * The marks in a block.
 * @param {Block} block
 * @param {readonly [query: number, key: number][] | null | undefined} pairs of units
 * @param {string} name @returns {Marks}
 */
export function marksIn(block, pairs, name) {
  const cells = (pairs ?? []).map(([row, column]) => ({ row, column }));
  return { name, cells: cells.filter((cell) => inBlock(block, cell)) };
}

/** @param {Marks} marks @param {Cell} cell */
export function isMarked({ cells }, { row, column }) {
  return cells.some((cell) => cell.row === row && cell.column === column);
}

/** Outline each marked cell that exists. @param {Painter} painter @param {Drawing} drawing */
export function drawMarks(painter, drawing) {
  const size = cellSize(drawing);
  for (const cell of drawing.marks.cells) {
    if (inBlock(drawing.existing, cell)) {
      drawMark(painter, placeOfCell(drawing, cell), size, drawing.colours);
    }
  }
}

/**
 * Two lines in the page's text and background colours, so that one contrasts with every weight; a dot in small cells.
 * @param {Painter} painter @param {Place} middle @param {Sides} cell @param {Colours} colours
 */
function drawMark(painter, { x, y }, { across, down }, { text, background }) {
  const side = Math.min(across, down);
  /** @type {(width: number, height: number, style: RectStyle) => void} */
  const rect = (width, height, style) => painter.rect(x - width / 2, y - height / 2, width, height, style);
  if (side < DOT) {
    rect(5, 5, { fill: background });
    rect(3, 3, { fill: text });
    return;
  }
  const outer = side < BOLD ? 1 : 2;
  const inner = across < ROOMY ? 1 : outer;
  /** @type {(inset: number, lineWidth: number, stroke: string) => void} */
  const line = (inset, lineWidth, stroke) => rect(across - 2 * inset, down - 2 * inset, { stroke, lineWidth });
  line(1 + outer / 2, outer, text); // from a pixel inside of the cell's edge
  line(1 + outer + inner / 2, inner, background);
}

/**
 * The legend's text, cut to its line; empty if the block has no mark.
 * @param {Pick<LaidOut, "marks" | "area" | "width">} scene @param {Measure} measure
 */
export function legendOf({ marks, area, width }, measure) {
  return marks.cells.length ? fitted(marks.name, width - area.left - SAMPLE.across - SAMPLE_GAP, measure) : "";
}

/** The legend: a sample mark and its text. @param {Painter} painter @param {Drawing} drawing */
export function drawLegend(painter, { area, height, legend, colours, ink }) {
  if (!legend) return;
  const y = height - LEGEND / 2;
  drawMark(painter, { x: area.left + SAMPLE.across / 2, y }, SAMPLE, colours);
  painter.text(area.left + SAMPLE.across + SAMPLE_GAP, y, legend, { colour: ink.muted, size: 14 });
}
