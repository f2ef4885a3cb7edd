// Renders the heat map through a painter: cells, labels, colour bar, outlines and a tour's rings.
import { contrastOf } from "../shared/colour.mjs";
import { drawRing, unitsOf } from "../shared/points.mjs";
import { inCell } from "../shared/quantity.mjs";
import { clamped, isIn } from "../shared/ranges.mjs";
import { inBlock, sizeOf } from "./block.mjs";
import { HIDDEN } from "./cells.mjs";
import { READABLE_CELL, cellSize, cornerOf, inView, labelStep, placeOfCell, zoomsOf } from "./frame.mjs";
import { GAP, HEADER, LABEL, RIGHT, ROWS_NAME } from "./layout.mjs";
import { drawLegend, drawMarks } from "./marks.mjs";
import { captionOf, shareOf, ticksOf } from "./scale.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Painter, Range, TextStyle } from "../shared/types.mjs" */
/** @import { Cell } from "./block.mjs" */
/** @import { CellImage } from "./cells.mjs" */
/** @import { Place } from "./frame.mjs" */
/** @import { Drawing, Ink } from "./scene.mjs" */

/**
 * Labels of the rows and columns in view; labels of units that do not exist yet are muted.
 * @param {Painter} painter @param {Drawing} drawing
 */
function drawLabels(painter, drawing) {
  const { area, block, frame, texts } = drawing;
  const { across, down } = cellSize(drawing);
  const { rows, columns } = inView(drawing);
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
 * The labelled units of a side, and the positions of their middles.
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
 * The size of a row's label, smaller on stage for low rows.
 * @param {Drawing} drawing
 * @param {number} down height of a cell
 */
function rowLabelSize({ closest }, down) {
  return Math.min(LABEL, Math.max(closest, Math.floor(down)));
}

/** @param {Drawing} drawing @param {number} unit @returns {TextStyle} */
function labelStyle({ until, colours, ink }, unit) {
  return { colour: unit < until ? colours.text : ink.muted, size: LABEL };
}

/**
 * The label of the column whose middle is at x.
 * @param {Painter} painter @param {Drawing} drawing @param {number} x @param {string} text @param {TextStyle} style
 */
function drawColumnLabel(painter, { area, turn }, x, text, style) {
  if (turn === 0) painter.text(x, area.top - GAP - LABEL / 2, text, { ...style, align: "center" });
  else painter.turned(x, area.top - GAP, turn, () => painter.text(0, 0, text, style));
}

/**
 * Hide the label over a column that is `across` wide.
 * @param {Painter} painter @param {Drawing} drawing @param {number} x @param {number} across
 */
function coverColumnLabel(painter, { area, header, turn, reach, colours }, x, across) {
  const cover = { fill: colours.background };
  if (turn === 0) painter.rect(x - across / 2, header, across, area.top - header - 1, cover);
  else painter.turned(x, area.top - GAP, turn, () => painter.rect(1 - GAP / 2, -8, reach + GAP, 16, cover));
}

/**
 * Positions of the labels that overlap a label at `middle`, itself included.
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

const BAR = { width: 170, height: 8, above: 23 }; // pixels; above the labels' top
const CAPTION = { middle: 12, room: 150 }; // pixels from the top; pixels that it needs, with the menu to its right
const TICKS = 9; // pixels from the bar to their middle
const TITLE = 76; // pixels that the columns' title needs, to the left of the bar in a narrow picture

/**
 * @param {Painter} painter @param {Drawing} drawing
 * @param {HTMLCanvasElement} colours one pixel each
 * @param {TextStyle} style
 */
export function drawColourBar(painter, { area, header, width, colours: { border }, scale, quantity }, colours, style) {
  const length = Math.min(BAR.width, width - RIGHT - area.left - TITLE);
  const left = width - RIGHT - length;
  const top = header - BAR.above;
  const caption = captionOf(scale, quantity);
  if (header === HEADER) painter.text(Math.min(left, width - CAPTION.room), CAPTION.middle, caption, style);
  painter.image(colours, left, top, length, BAR.height);
  painter.rect(left, top, length, BAR.height, { stroke: border });
  for (const { share, text } of ticksOf(scale)) {
    // The last tick ends with the bar: a longer number would be cut off.
    const align = share === 1 && text.length > 1 ? "end" : "center";
    painter.text(left + share * length, top + BAR.height + TICKS, text, { ...style, align });
  }
}

const SMALL = 13; // size of the text next to the colour bar
const MARGIN = 3; // pixels of a cell's height that its number leaves free

/**
 * The text colour with the best contrast on a cell; values near zero are muted.
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
 * The picture without hover and pin.
 * @param {Painter} painter @param {Drawing} drawing @param {{ image: CellImage, scale: HTMLCanvasElement }} images
 * @param {boolean} [isSecond] whether the picture next to it has the title and the colour bar of both
 */
export function drawCells(painter, drawing, { image, scale }, isSecond = false) {
  const { area, block, colours } = drawing;
  const { across, down } = cellSize(drawing);
  const { x, y } = cornerOf(drawing, { row: block.rows[0], column: block.columns[0] });
  painter.clip(area.left, area.top, area.width, area.height, () => {
    painter.image(image.canvas, x, y, image.columns * across, image.rows * down);
    drawMarks(painter, drawing);
    if (across >= drawing.readable && down >= drawing.closest + MARGIN) {
      drawNumbers(painter, drawing, { size: numberSize(drawing, down), areShort: across < READABLE_CELL });
    }
    drawDivide(painter, drawing);
  });
  painter.rect(area.left, area.top, area.width, area.height, { stroke: colours.border });
  drawHeader(painter, drawing, isSecond ? null : scale);
  drawLabels(painter, drawing);
  drawPartInView(painter, drawing);
  drawLegend(painter, drawing);
}

/**
 * The size of a number's text, smaller on stage, which enlarges the page, for low rows.
 * @param {Drawing} drawing
 * @param {number} down height of a cell
 */
function numberSize({ closest }, down) {
  return Math.min(LABEL, Math.max(closest, Math.floor(down) - MARGIN));
}

/** @param {Painter} painter @param {Drawing} drawing @param {{ size: number, areShort: boolean }} style */
function drawNumbers(painter, drawing, { size, areShort }) {
  const { count, weights, scale, ink, quantity } = drawing;
  const { rows, columns } = inView(drawing);
  for (let row = rows[0]; row <= rows[1]; row += 1) {
    for (let column = columns[0]; column <= columns[1]; column += 1) {
      const weight = weights[row * count + column];
      if (weight === HIDDEN) continue;
      const { x, y } = placeOfCell(drawing, { row, column });
      const number = inCell(weight, quantity);
      painter.text(x, y, areShort ? shortened(number) : number, {
        colour: inkOf(shareOf(scale, weight), ink),
        size,
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
 * Thin lines where sentence B starts, in a block with units of both sentences.
 * @param {Painter} painter @param {Drawing} drawing
 */
function drawDivide(painter, drawing) {
  const { area, block, bStart, ink } = drawing;
  if (bStart === null) return;
  /** @param {Range} range */
  const hasBoth = (range) => isIn(range, bStart) && isIn(range, bStart - 1);
  const { x, y } = cornerOf(drawing, { row: bStart, column: bStart });
  const style = { colour: ink.muted };
  if (hasBoth(block.columns)) painter.lines([x, area.top, x, area.top + area.height], style);
  if (hasBoth(block.rows)) painter.lines([area.left, y, area.left + area.width, y], style);
}

/** @param {Painter} painter @param {Drawing} drawing @param {HTMLCanvasElement | null} scale null without a title */
function drawHeader(painter, drawing, scale) {
  const { area, header, title, colours, ink } = drawing;
  /** @type {TextStyle} */
  const small = { colour: ink.muted, size: SMALL };
  if (scale && header === HEADER) painter.text(4, 10, title, { colour: colours.text, size: 16, weight: 600 });
  if (scale) drawColourBar(painter, drawing, scale, small);
  painter.text(area.left, header - 12, "key (to) →", small);
  painter.text(drawing.rowsNameEnd, area.top - 20, ROWS_NAME, { ...small, align: "end" });
}

/**
 * Scroll bars at the right and at the bottom, if part of the block is out of view.
 * @param {Painter} painter @param {Drawing} drawing
 */
function drawPartInView(painter, drawing) {
  const { area, block, frame, ink } = drawing;
  const { rows, columns } = sizeOf(block);
  const zooms = zoomsOf(drawing);
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

/**
 * Outlines of a row and a column, with bold labels. An index outside the block, such as -1, has no outline.
 * @param {Painter} painter @param {Drawing} drawing @param {Cell} cell
 * @param {{ colour: string, width: number, alpha?: number }} style
 */
export function drawCross(painter, drawing, cell, { colour, width, alpha = 1 }) {
  const { area, block } = drawing;
  const { across, down } = cellSize(drawing);
  const { x, y } = cornerOf(drawing, cell);
  const [hasRow, hasColumn] = [isIn(block.rows, cell.row), isIn(block.columns, cell.column)];
  const outline = { stroke: colour, lineWidth: width, alpha };
  painter.clip(area.left, area.top, area.width, area.height, () => {
    if (hasRow) painter.rect(area.left - 2, y, area.width + 4, down, outline);
    if (hasColumn) painter.rect(x, area.top - 2, across, area.height + 4, outline);
  });
  const middle = placeOfCell(drawing, cell);
  const isRowSeen = middle.y >= area.top && middle.y <= area.top + area.height;
  const isColumnSeen = middle.x >= area.left && middle.x <= area.left + area.width;
  if (hasRow && isRowSeen) drawBoldRow(painter, drawing, cell.row, middle.y, colour);
  if (hasColumn && isColumnSeen) drawBoldColumn(painter, drawing, cell.column, middle.x, colour);
}

/**
 * @param {Painter} painter @param {Drawing} drawing @param {number} row @param {number} middle @param {string} colour
 */
function drawBoldRow(painter, drawing, row, middle, colour) {
  const { area, block, texts, colours } = drawing;
  const start = cornerOf(drawing, { row: block.rows[0], column: block.columns[0] }).y;
  const { down } = cellSize(drawing);
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
 * @param {Painter} painter @param {Drawing} drawing @param {number} column @param {number} middle
 * @param {string} colour
 */
function drawBoldColumn(painter, drawing, column, middle, colour) {
  const { block, texts } = drawing;
  const { across } = cellSize(drawing);
  const start = cornerOf(drawing, { row: block.rows[0], column: block.columns[0] }).x;
  for (const x of labelsNear(middle, start, across)) coverColumnLabel(painter, drawing, x, across);
  drawColumnLabel(painter, drawing, middle, texts[column], { colour, size: LABEL, weight: 700 });
}

/**
 * The box that a drag will enlarge.
 * @param {Painter} painter @param {Drawing} drawing @param {Place} from @param {Place} to
 */
export function drawBox(painter, { area, colours }, from, to) {
  const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  painter.clip(area.left, area.top, area.width, area.height, () => {
    painter.rect(x, y, width, height, { fill: colours.primary, alpha: 0.15 });
    painter.rect(x, y, width, height, { stroke: colours.primary, lineWidth: 2 });
  });
}

const RING = 4; // pixels of a ring's line and gap on both sides

/** @param {Painter} painter @param {Drawing} drawing @param {readonly Point[]} points */
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
  const { rows, columns } = inView(drawing);
  const isSeen = isIn([rows[0], rows[1] + 1], cell.row) && isIn([columns[0], columns[1] + 1], cell.column);
  if (!isSeen || !inBlock(drawing.existing, cell)) return;
  const { across, down } = cellSize(drawing);
  drawRing(painter, { ...cornerOf(drawing, cell), width: across, height: down }, drawing.colours);
}

/**
 * Ring a row's label, no higher than a low row.
 * @param {Painter} painter @param {Drawing} drawing @param {number} unit
 */
function ringLabel(painter, drawing, unit) {
  const { area, block, widest } = drawing;
  const { y } = placeOfCell(drawing, { row: unit, column: block.columns[0] });
  if (!isIn(block.rows, unit) || y < area.top || y > area.top + area.height) return;
  const { down } = cellSize(drawing);
  const [width, height] = [widest.rows + GAP, clamped(down - RING, LABEL - RING, LABEL + RING)];
  const box = { x: area.left - GAP / 2 - width, y: y - height / 2, width, height };
  drawRing(painter, box, drawing.colours, { isOnPage: true });
}
