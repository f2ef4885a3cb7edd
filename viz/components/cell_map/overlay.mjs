// @ts-check
// What is drawn over the cells: the outlines of what is pointed at and pinned, and the part that a drag encloses.
import { isIn } from "../shared/ranges.mjs";
import { cellSize, cornerOf, placeOfCell } from "./frame.mjs";
import { coverColumnLabel, drawColumnLabel, labelsNear, rowLabelSize } from "./labels.mjs";
import { GAP, LABEL } from "./layout.mjs";
/** @import { Painter } from "../shared/types.mjs" */
/** @import { Cell } from "./block.mjs" */
/** @import { Place } from "./frame.mjs" */
/** @import { Drawing } from "./scene.mjs" */

/**
 * Outlines of a row and a column, with bold labels. What is not in the block, such as -1, has no outline.
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {Cell} cell
 * @param {{ colour: string, width: number, alpha?: number }} style
 */
export function drawCross(painter, drawing, cell, { colour, width, alpha = 1 }) {
  const { area, block, frame } = drawing;
  const { across, down } = cellSize(drawing, frame);
  const { x, y } = cornerOf(drawing, frame, cell);
  const [hasRow, hasColumn] = [isIn(block.rows, cell.row), isIn(block.columns, cell.column)];
  const outline = { stroke: colour, lineWidth: width, alpha };
  painter.clip(area.left, area.top, area.width, area.height, () => {
    if (hasRow) painter.rect(area.left - 2, y, area.width + 4, down, outline);
    if (hasColumn) painter.rect(x, area.top - 2, across, area.height + 4, outline);
  });
  const middle = placeOfCell(drawing, frame, cell);
  const isRowSeen = middle.y >= area.top && middle.y <= area.top + area.height;
  const isColumnSeen = middle.x >= area.left && middle.x <= area.left + area.width;
  if (hasRow && isRowSeen) drawBoldRow(painter, drawing, cell.row, middle.y, colour);
  if (hasColumn && isColumnSeen) drawBoldColumn(painter, drawing, cell.column, middle.x, colour);
}

/**
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {number} row
 * @param {number} middle
 * @param {string} colour
 */
function drawBoldRow(painter, drawing, row, middle, colour) {
  const { area, frame, block, texts, colours } = drawing;
  const start = cornerOf(drawing, frame, { row: block.rows[0], column: block.columns[0] }).y;
  const { down } = cellSize(drawing, frame);
  for (const y of labelsNear(middle, start, down, drawing.closest)) {
    painter.rect(0, y - 9, area.left - 1, 18, { fill: colours.background });
  }
  painter.text(area.left - GAP, middle, texts[row], {
    colour,
    size: rowLabelSize(drawing, down),
    weight: 700,
    align: "end",
  });
}

/**
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {number} column
 * @param {number} middle
 * @param {string} colour
 */
function drawBoldColumn(painter, drawing, column, middle, colour) {
  const { frame, block, texts } = drawing;
  const { across } = cellSize(drawing, frame);
  const start = cornerOf(drawing, frame, { row: block.rows[0], column: block.columns[0] }).x;
  for (const x of labelsNear(middle, start, across)) coverColumnLabel(painter, drawing, x, across);
  drawColumnLabel(painter, drawing, middle, texts[column], { colour, size: LABEL, weight: 700 });
}

/**
 * The part that a drag is going to enlarge.
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {Place} from
 * @param {Place} to
 */
export function drawBox(painter, { area, colours }, from, to) {
  const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  painter.clip(area.left, area.top, area.width, area.height, () => {
    painter.rect(x, y, width, height, { fill: colours.primary, alpha: 0.15 });
    painter.rect(x, y, width, height, { stroke: colours.primary, lineWidth: 2 });
  });
}
