// @ts-check
// Draws the heat map through a painter, without what is pointed at and pinned.
import { contrastOf } from "../shared/colour.mjs";
import { inCell, isWeights } from "../shared/quantity.mjs";
import { isIn } from "../shared/ranges.mjs";
import { sizeOf } from "./block.mjs";
import { HIDDEN } from "./cells.mjs";
import { drawColourBar } from "./colour_bar.mjs";
import { READABLE_CELL, cellSize, cornerOf, inView, placeOfCell, zoomsOf } from "./frame.mjs";
import { drawLabels } from "./labels.mjs";
import { HEADER, ROWS_NAME } from "./layout.mjs";
import { drawLegend, drawMarks } from "./marks.mjs";
import { shareOf } from "./scale.mjs";
/** @import { Painter, Range, TextStyle } from "../shared/types.mjs" */
/** @import { CellImage } from "./cells.mjs" */
/** @import { Drawing, Ink } from "./scene.mjs" */

const SMALL = 13; // size of the text beside the colour bar
const NUMBER = { across: READABLE_CELL, down: 17 }; // pixels of a cell in which a weight can be read
const SHORT_NUMBER = 22; // pixels of width, in which ".80" can be read

/**
 * The colour that reads best on another one; what is close to nothing is muted.
 * @param {number} share of the colours
 * @param {Ink} ink
 */
export function inkOf(share, { sequential, muted, text, background }) {
  const stop = Math.round(share * (sequential.length - 1));
  if (stop === 0) return muted;
  const paper = sequential[stop][1];
  return contrastOf(text, paper) >= contrastOf(background, paper) ? text : background;
}

/**
 * The picture without pointer and pin.
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {{ image: CellImage, scale: HTMLCanvasElement }} images
 */
export function drawCells(painter, drawing, { image, scale }) {
  const { area, block, frame, colours } = drawing;
  const { across, down } = cellSize(drawing, frame);
  const { x, y } = cornerOf(drawing, frame, { row: block.rows[0], column: block.columns[0] });
  painter.clip(area.left, area.top, area.width, area.height, () => {
    painter.image(image.canvas, x, y, image.columns * across, image.rows * down);
    drawMarks(painter, drawing);
    const least = isWeights(drawing.quantity) ? SHORT_NUMBER : NUMBER.across;
    if (across >= least && down >= NUMBER.down) drawNumbers(painter, drawing, across < NUMBER.across);
    drawDivide(painter, drawing);
  });
  painter.rect(area.left, area.top, area.width, area.height, { stroke: colours.border });
  drawHeader(painter, drawing, scale);
  drawLabels(painter, drawing);
  drawPartInView(painter, drawing);
  drawLegend(painter, drawing);
}

/** @param {Painter} painter @param {Drawing} drawing @param {boolean} areShort */
function drawNumbers(painter, drawing, areShort) {
  const { frame, count, weights, scale, ink, quantity } = drawing;
  const { rows, columns } = inView(drawing, frame);
  for (let row = rows[0]; row <= rows[1]; row += 1) {
    for (let column = columns[0]; column <= columns[1]; column += 1) {
      const weight = weights[row * count + column];
      if (weight === HIDDEN) continue;
      const { x, y } = placeOfCell(drawing, frame, { row, column });
      const number = inCell(weight, quantity);
      painter.text(x, y, areShort ? shortened(number) : number, {
        colour: inkOf(shareOf(scale, weight), ink),
        align: "center",
      });
    }
  }
}

/**
 * A weight without the zero before its point, and 1 without digits behind it.
 * @param {string} number with two decimals
 */
function shortened(number) {
  return number === "1.00" ? "1" : number.replace(/^0/, "");
}

/**
 * Thin lines where sentence B starts, in a block that has some of both sentences.
 * @param {Painter} painter
 * @param {Drawing} drawing
 */
function drawDivide(painter, drawing) {
  const { area, block, frame, bStart, ink } = drawing;
  if (bStart === null) return;
  /** @param {Range} range */
  const hasBoth = (range) => isIn(range, bStart) && isIn(range, bStart - 1);
  const { x, y } = cornerOf(drawing, frame, { row: bStart, column: bStart });
  const style = { colour: ink.muted };
  if (hasBoth(block.columns)) painter.lines([x, area.top, x, area.top + area.height], style);
  if (hasBoth(block.rows)) painter.lines([area.left, y, area.left + area.width, y], style);
}

/** @param {Painter} painter @param {Drawing} drawing @param {HTMLCanvasElement} scale */
function drawHeader(painter, drawing, scale) {
  const { area, header, title, colours, ink } = drawing;
  /** @type {TextStyle} */
  const small = { colour: ink.muted, size: SMALL };
  if (header === HEADER) painter.text(4, 10, title, { colour: colours.text, size: 16, weight: 600 });
  drawColourBar(painter, drawing, scale, small);
  painter.text(area.left, header - 12, "key (to) →", small);
  painter.text(drawing.rowsNameEnd, area.top - 20, ROWS_NAME, { ...small, align: "end" });
}

/**
 * Bars at the right and at the bottom, as long as the share that is in view, where that is not all.
 * @param {Painter} painter
 * @param {Drawing} drawing
 */
function drawPartInView(painter, drawing) {
  const { area, block, frame, ink } = drawing;
  const { rows, columns } = sizeOf(block);
  const zooms = zoomsOf(drawing, frame);
  const bar = { fill: ink.muted, alpha: 0.6 };
  if (zooms.down > 1) {
    const y = area.top + (frame.row - block.rows[0]) * (area.height / rows);
    painter.rect(area.left + area.width + 10, y, 4, area.height / zooms.down, bar);
  }
  if (zooms.across > 1) {
    const x = area.left + (frame.column - block.columns[0]) * (area.width / columns);
    painter.rect(x, area.top + area.height + 10, area.width / zooms.across, 4, bar);
  }
}
