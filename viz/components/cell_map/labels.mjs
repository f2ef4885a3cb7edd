// @ts-check
// Labels of rows and columns beside the cells, as many as there is room for.
import { GAP, LABEL } from "./layout.mjs";
import { cellSize, inView, labelStep } from "./frame.mjs";
/** @import { Painter, TextStyle } from "../shared/types.mjs" */
/** @import { Drawing } from "./scene.mjs" */

/**
 * Labels of rows and columns whose middle is in view; those of units that do not exist yet are muted.
 * @param {Painter} painter
 * @param {Drawing} drawing
 */
export function drawLabels(painter, drawing) {
  const { area, block, frame, texts } = drawing;
  const { across, down } = cellSize(drawing, frame);
  const { rows, columns } = inView(drawing, frame);
  const [step, size] = [labelStep(down, drawing.closest), rowLabelSize(drawing, down)];
  for (const [row, middle] of labelled(rows, block.rows[0], down, step, frame.row, area.height)) {
    const style = { ...labelStyle(drawing, row), size, align: /** @type {const} */ ("end") };
    painter.text(area.left - GAP, area.top + middle, texts[row], style);
  }
  for (const [column, middle] of labelled(
    columns,
    block.columns[0],
    across,
    labelStep(across),
    frame.column,
    area.width,
  )) {
    drawColumnLabel(painter, drawing, area.left + middle, texts[column], labelStyle(drawing, column));
  }
}

/**
 * The units of a side that are labelled, and where their middles are on it.
 * @param {readonly [first: number, last: number]} units in view
 * @param {number} from the block's first unit
 * @param {number} pitch pixels from one unit to the next
 * @param {number} step every how many units have a label
 * @param {number} start the unit, or the part of one, at the side's beginning
 * @param {number} length of the side in pixels
 * @returns {Generator<[unit: number, middle: number]>}
 */
function* labelled([first, last], from, pitch, step, start, length) {
  for (let unit = from + Math.ceil((first - from) / step) * step; unit <= last; unit += step) {
    const middle = (unit + 0.5 - start) * pitch;
    if (middle >= 0 && middle <= length) yield [unit, middle];
  }
}

/**
 * The size of a row's label, which is lower before an audience where rows are.
 * @param {Drawing} drawing
 * @param {number} down height of a cell
 */
export function rowLabelSize({ closest }, down) {
  return Math.min(LABEL, Math.max(closest, Math.floor(down)));
}

/** @param {Drawing} drawing @param {number} unit @returns {TextStyle} */
function labelStyle({ until, colours, ink }, unit) {
  return { colour: unit < until ? colours.text : ink.muted, size: LABEL };
}

/**
 * The label of the column whose middle is at x.
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {number} x
 * @param {string} text
 * @param {TextStyle} style
 */
export function drawColumnLabel(painter, { area, turn }, x, text, style) {
  if (turn === 0) painter.text(x, area.top - GAP - LABEL / 2, text, { ...style, align: "center" });
  else painter.turned(x, area.top - GAP, turn, () => painter.text(0, 0, text, style));
}

/**
 * Hide the label over a column that is `across` wide.
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {number} x
 * @param {number} across
 */
export function coverColumnLabel(painter, { area, header, turn, reach, colours }, x, across) {
  const cover = { fill: colours.background };
  if (turn === 0) painter.rect(x - across / 2, header, across, area.top - header - 1, cover);
  else painter.turned(x, area.top - GAP, turn, () => painter.rect(1 - GAP / 2, -8, reach + GAP, 16, cover));
}

/**
 * Where the labels stand that one at `middle` would touch, itself included.
 * @param {number} middle
 * @param {number} start of the first cell
 * @param {number} pitch pixels from one cell to the next
 * @param {number} [least] pixels from one label to the next
 */
export function labelsNear(middle, start, pitch, least) {
  const between = labelStep(pitch, least) * pitch;
  const first = start + pitch / 2;
  const nearest = Math.round((middle - first) / between);
  const near = [-1, 0, 1].map((offset) => first + (nearest + offset) * between);
  return [middle, ...near.filter((place) => Math.abs(place - middle) < 15)];
}
