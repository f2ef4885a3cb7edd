// Draws the heat map through a painter: the picture, and over it what is pointed at and pinned.
import { fitted } from "../shared/page.mjs";
import { isIn, sizeOf } from "./block.mjs";
import { HIDDEN } from "./cells.mjs";
import { LARGEST_CELL, READABLE_CELL, cellSize, cornerOf, inView, labelStep, placeOfCell, zoomsOf } from "./frame.mjs";
import { LEGEND, drawLegend, drawMarks } from "./marks.mjs";

const SMALL = 13;
const LABEL = 14;
const LONGEST = 116; // pixels of a label
const HEADER = 52; // title, colour bar, and the name of the columns
const GAP = 6; // between a label and the cells
const RIGHT = 16; // the last column's label hangs over, and the bar that tells the part in view
const BAR = { width: 170, height: 8 };
const NUMBER = { across: READABLE_CELL, down: 17 }; // a cell in which a weight can be read
const TALLEST_LABELS = 46; // so many rows are all named, even if that makes the picture higher
const TALLEST = 700; // pixels, to give each of many rows one
const NARROWEST = 640; // of the picture, where the page has as much: title, buttons and colour bar need it
const LEVEL = 0.71; // share of a slanted label's length that counts across, and downwards
const STEEPEST = 22; // pixels of a cell over which labels need not stand upright

export function labelFont(font) {
  return `${LABEL}px ${font}`;
}

/** Labels cut to what the margins hold, and the widest of a block's rows and columns in pixels. */
export function fitLabels(labels, block, measure) {
  const texts = labels.map((label) => fitted(label, LONGEST, measure));
  const widestOf = ([from, to]) => Math.max(...texts.slice(from, to).map(measure));
  return { texts, widest: { rows: widestOf(block.rows), columns: widestOf(block.columns) } };
}

/** Degrees by which column labels are turned so that each has room over its cell. */
export function turnOf(cell, widest) {
  if (widest <= cell - 5) return 0;
  return cell >= STEEPEST ? -45 : -90;
}

/**
 * Where the cells of a block lie on a page of that width, in a window of that height: { area, turn, reach, width,
 * height }. Cells of a short text are as large as is of use, and the picture is narrower than the page; `reach` is the
 * length of a column's label. `legend` is whether there is one under the cells.
 */
export function layoutOf({ width, windowHeight, block, widest, legend = false }) {
  const { rows, columns } = sizeOf(block);
  const left = Math.max(widest.rows + GAP + 4, 104);
  const slanted = LEVEL * (widest.columns + LABEL);
  const acrossBeside = (right) => {
    return wholeCells(Math.min(Math.max(width - left - right, 40), LARGEST_CELL * columns), columns);
  };
  const turn = turnOf(acrossBeside(RIGHT) / columns, widest.columns);
  const right = turn === -45 ? Math.max(RIGHT, slanted - acrossBeside(RIGHT) / columns / 2) : RIGHT;
  const across = acrossBeside(right);
  const labels = { 0: LABEL, [-45]: slanted, [-90]: widest.columns }[turn];
  const top = HEADER + Math.max(labels + GAP + 4, 24);
  const least = rows <= TALLEST_LABELS ? 15 * rows : Math.min(rows, TALLEST);
  const square = (across / columns) * rows; // the height at which cells are as high as wide
  const most = Math.max(square, Math.min(across, 2 * square), 240); // of few rows they may be twice as high
  const wanted = Math.min(Math.max(0.56 * windowHeight, least, 400), most, LARGEST_CELL * rows);
  const down = wholeCells(Math.round(wanted), rows);
  return {
    area: { left, top, width: across, height: down },
    turn,
    reach: widest.columns + 4,
    width: Math.max(left + across + right, Math.min(width, NARROWEST)),
    height: top + down + RIGHT + (legend ? LEGEND : 0),
  };
}

/** A length that `count` cells share without fractions of a pixel, where they are so large that few pixels are lost. */
function wholeCells(length, count) {
  return length / count < STEEPEST ? length : count * Math.floor(length / count);
}

/** The colour that reads best on a weight's own; weights close to nothing stand back. */
export function inkOf(weight, { sequential, muted, text, background }) {
  const stop = Math.round(weight * (sequential.length - 1));
  if (stop === 0) return muted;
  const paper = sequential[stop][1];
  return contrastOf(text, paper) >= contrastOf(background, paper) ? text : background;
}

/** Contrast of two colours "#RRGGBB", from 1 to 21 (WCAG 2.2, relative luminance). */
export function contrastOf(one, other) {
  const luminance = (colour) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, share, at) => {
      const channel = parseInt(colour.slice(1 + 2 * at, 3 + 2 * at), 16) / 255;
      return sum + share * (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
    }, 0);
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The picture without pointer and pin. */
export function drawCells(painter, scene) {
  const { area, block, image, frame, colours } = scene;
  const { across, down } = cellSize(scene, frame);
  const { x, y } = cornerOf(scene, frame, { row: block.rows[0], column: block.columns[0] });
  painter.clip(area.left, area.top, area.width, area.height, () => {
    painter.image(image.canvas, x, y, image.columns * across, image.rows * down);
    drawMarks(painter, scene);
    if (across >= NUMBER.across && down >= NUMBER.down) drawNumbers(painter, scene);
    drawDivide(painter, scene);
  });
  painter.rect(area.left, area.top, area.width, area.height, { stroke: colours.border });
  drawHeader(painter, scene);
  drawLabels(painter, scene);
  drawPartInView(painter, scene);
  drawLegend(painter, scene);
}

function drawNumbers(painter, scene) {
  const { frame, count, weights, ink } = scene;
  const { rows, columns } = inView(scene, frame);
  for (let row = rows[0]; row <= rows[1]; row += 1) {
    for (let column = columns[0]; column <= columns[1]; column += 1) {
      const weight = weights[row * count + column];
      if (weight === HIDDEN) continue;
      const { x, y } = placeOfCell(scene, frame, { row, column });
      painter.text(x, y, weight.toFixed(2), { colour: inkOf(weight, ink), align: "center" });
    }
  }
}

/** Thin lines where sentence B starts, in a block that has some of both sentences. */
function drawDivide(painter, scene) {
  const {
    area,
    block: { rows, columns },
    frame,
    bStart,
    ink,
  } = scene;
  if (bStart === null) return;
  const hasBoth = (range) => isIn(range, bStart) && isIn(range, bStart - 1);
  const { x, y } = cornerOf(scene, frame, { row: bStart, column: bStart });
  if (hasBoth(columns)) painter.lines([x, area.top, x, area.top + area.height], { colour: ink.muted });
  if (hasBoth(rows)) painter.lines([area.left, y, area.left + area.width, y], { colour: ink.muted });
}

function drawHeader(painter, { area, width, title, colours, ink, scale }) {
  const bar = { x: width - RIGHT - BAR.width, y: 20 };
  const small = { colour: ink.muted, size: SMALL };
  painter.text(4, 10, title, { colour: colours.text, size: 16, weight: 600 });
  painter.text(bar.x + BAR.width / 2, 8, "attention weight", { ...small, align: "center" });
  painter.image(scale, bar.x, bar.y, BAR.width, BAR.height);
  painter.rect(bar.x, bar.y, BAR.width, BAR.height, { stroke: colours.border });
  for (const [share, name] of [
    [0, "0"],
    [0.5, "0.5"],
    [1, "1"],
  ]) {
    painter.text(bar.x + share * BAR.width, bar.y + 18, name, { ...small, align: "center" });
  }
  painter.text(area.left, HEADER - 12, "key (to) →", small);
  painter.text(area.left - 14, area.top - 20, "query (from) ↓", { ...small, align: "end" });
}

/** As many labels as fit, of rows and columns whose middle is in view; those of units to come stand back. */
function drawLabels(painter, scene) {
  const { area, block, frame, texts } = scene;
  const { across, down } = cellSize(scene, frame);
  const { rows, columns } = inView(scene, frame);
  const each = ([first, last], from, pitch, start, length, draw) => {
    const step = labelStep(pitch);
    for (let at = from + Math.ceil((first - from) / step) * step; at <= last; at += step) {
      const middle = (at + 0.5 - start) * pitch;
      if (middle >= 0 && middle <= length) draw(at, middle);
    }
  };
  each(rows, block.rows[0], down, frame.row, area.height, (row, middle) => {
    painter.text(area.left - GAP, area.top + middle, texts[row], { ...labelStyle(scene, row), align: "end" });
  });
  each(columns, block.columns[0], across, frame.column, area.width, (column, middle) => {
    columnLabel(painter, scene, area.left + middle, texts[column], labelStyle(scene, column));
  });
}

function labelStyle({ until, colours, ink }, unit) {
  return { colour: unit < until ? colours.text : ink.muted, size: LABEL };
}

/** The label of the column whose middle is at x. */
function columnLabel(painter, { area, turn }, x, text, style) {
  if (turn === 0) painter.text(x, area.top - GAP - LABEL / 2, text, { ...style, align: "center" });
  else painter.turned(x, area.top - GAP, turn, () => painter.text(0, 0, text, style));
}

/** Hides the label over a column that is `across` wide. */
function coverLabel(painter, { area, turn, reach, colours }, x, across) {
  const cover = { fill: colours.background };
  if (turn === 0) painter.rect(x - across / 2, HEADER, across, area.top - HEADER - 1, cover);
  else painter.turned(x, area.top - GAP, turn, () => painter.rect(1 - GAP / 2, -8, reach + GAP, 16, cover));
}

/** Bars at the right and at the bottom, as long as the share that is in view, where that is not all. */
function drawPartInView(painter, scene) {
  const { area, block, frame, ink } = scene;
  const { rows, columns } = sizeOf(block);
  const zooms = zoomsOf(scene, frame);
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
 * Outline of a row and a column, and their labels standing out. A cell is { row, column }; what is not in the block,
 * such as -1, has no outline.
 */
export function drawCross(painter, scene, cell, { colour, width, alpha = 1 }) {
  const { area, block, frame, texts, colours } = scene;
  const { across, down } = cellSize(scene, frame);
  const { x, y } = cornerOf(scene, frame, cell);
  const [hasRow, hasColumn] = [isIn(block.rows, cell.row), isIn(block.columns, cell.column)];
  const outline = { stroke: colour, lineWidth: width, alpha };
  painter.clip(area.left, area.top, area.width, area.height, () => {
    if (hasRow) painter.rect(area.left - 2, y, area.width + 4, down, outline);
    if (hasColumn) painter.rect(x, area.top - 2, across, area.height + 4, outline);
  });
  const bold = { colour, size: LABEL, weight: 700 };
  const cover = { fill: colours.background };
  const middle = placeOfCell(scene, frame, cell);
  const start = cornerOf(scene, frame, { row: block.rows[0], column: block.columns[0] });
  if (hasRow && middle.y >= area.top && middle.y <= area.top + area.height) {
    for (const y of labelsNear(middle.y, start.y, down)) {
      painter.rect(0, y - 9, area.left - 1, 18, cover);
    }
    painter.text(area.left - GAP, middle.y, texts[cell.row], { ...bold, align: "end" });
  }
  if (hasColumn && middle.x >= area.left && middle.x <= area.left + area.width) {
    for (const x of labelsNear(middle.x, start.x, across)) {
      coverLabel(painter, scene, x, across);
    }
    columnLabel(painter, scene, middle.x, texts[cell.column], bold);
  }
}

/** Where the labels stand that one at `middle` would touch, itself included. */
export function labelsNear(middle, start, pitch) {
  const between = labelStep(pitch) * pitch;
  const first = start + pitch / 2;
  const nearest = Math.round((middle - first) / between);
  const near = [-1, 0, 1].map((at) => first + (nearest + at) * between);
  return [middle, ...near.filter((at) => Math.abs(at - middle) < 15)];
}

/** The part that a drag is going to enlarge. */
export function drawBox(painter, { area, colours }, from, to) {
  const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  painter.clip(area.left, area.top, area.width, area.height, () => {
    painter.rect(x, y, width, height, { fill: colours.primary, alpha: 0.15 });
    painter.rect(x, y, width, height, { stroke: colours.primary, lineWidth: 2 });
  });
}
