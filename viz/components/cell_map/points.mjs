// @ts-check
// Rings around the cells and the labels that a stop of a tour points at.
import { drawRing, unitsOf } from "../shared/points.mjs";
import { inBlock } from "./block.mjs";
import { cellSize, cornerOf, inView, placeOfCell } from "./frame.mjs";
import { GAP, LABEL } from "./layout.mjs";
import { isIn } from "../shared/ranges.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Painter } from "../shared/types.mjs" */
/** @import { Drawing } from "./scene.mjs" */

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

/** The label of a row. @param {Painter} painter @param {Drawing} drawing @param {number} unit */
function ringLabel(painter, drawing, unit) {
  const { area, block, frame, widest } = drawing;
  const { y } = placeOfCell(drawing, frame, { row: unit, column: block.columns[0] });
  if (!isIn(block.rows, unit) || y < area.top || y > area.top + area.height) return;
  const width = widest.rows + GAP;
  const box = { x: area.left - GAP / 2 - width, y: y - LABEL / 2 + 2, width, height: LABEL - 4 };
  drawRing(painter, box, drawing.colours);
}
