// @ts-check
// Rings around the cells and the labels that a stop of a tour points at.
import { drawRing, unitsOf } from "../shared/points.mjs";
import { clamped, isIn } from "../shared/ranges.mjs";
import { inBlock } from "./block.mjs";
import { cellSize, cornerOf, inView, placeOfCell } from "./frame.mjs";
import { GAP, LABEL } from "./layout.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Painter } from "../shared/types.mjs" */
/** @import { Drawing } from "./scene.mjs" */

const RING = 4; // pixels that a ring's line and the gap before it take on both sides of what it rings

/**
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {readonly Point[]} points
 */
export function drawPoints(painter, drawing, points) {
  for (const point of points) {
    if (point.kind === "token") {
      for (const unit of unitsOf(point.token, drawing.positions)) ringLabel(painter, drawing, unit);
    } else if (point.kind === "cell") {
      const columns = unitsOf(point.key, drawing.positions);
      for (const row of unitsOf(point.query, drawing.positions)) {
        for (const column of columns) ringCell(painter, drawing, { row, column });
      }
    }
  }
}

/** @param {Painter} painter @param {Drawing} drawing @param {{ row: number, column: number }} cell */
function ringCell(painter, drawing, cell) {
  const { rows, columns } = inView(drawing, drawing.frame);
  const isSeen = isIn([rows[0], rows[1] + 1], cell.row) && isIn([columns[0], columns[1] + 1], cell.column);
  if (!isSeen || !inBlock(drawing.existing, cell)) return;
  const { across, down } = cellSize(drawing, drawing.frame);
  drawRing(painter, { ...cornerOf(drawing, drawing.frame, cell), width: across, height: down }, drawing.colours);
}

/**
 * Ring a row's label, no higher than its row where that is low.
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {number} unit
 */
function ringLabel(painter, drawing, unit) {
  const { area, block, frame, widest } = drawing;
  const { y } = placeOfCell(drawing, frame, { row: unit, column: block.columns[0] });
  if (!isIn(block.rows, unit) || y < area.top || y > area.top + area.height) return;
  const { down } = cellSize(drawing, frame);
  const [width, height] = [widest.rows + GAP, clamped(down - RING, LABEL - RING, LABEL + RING)];
  const box = { x: area.left - GAP / 2 - width, y: y - height / 2, width, height };
  drawRing(painter, box, drawing.colours, { isOnPage: true });
}
