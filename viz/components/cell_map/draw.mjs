// Draws the heat map through a painter: the picture, and over it what is pointed at and pinned.
import { fitted } from "../shared/page.mjs";
import { LARGEST_CELL, READABLE_CELL, cellSize, labelStep, placeOfCell } from "./frame.mjs";
import { HIDDEN } from "./cells.mjs";

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

/** Labels cut to what the margins hold, and the widest of them in pixels. */
export function fitLabels(labels, measure) {
  const texts = labels.map((label) => fitted(label, LONGEST, measure));
  return { texts, widest: Math.max(...texts.map(measure)) };
}

/** Degrees by which column labels are turned so that each has room over its cell. */
export function turnOf(cell, widest) {
  if (widest <= cell - 5) return 0;
  return cell >= STEEPEST ? -45 : -90;
}

/**
 * Where the cells lie on a page of that width, in a window of that height: { area, turn, reach, width, height }. Cells
 * of a short text are as large as is of use, and the picture is narrower than the page; `reach` is a label's length.
 */
export function layoutOf({ width, windowHeight, count, widest }) {
  const left = Math.max(widest + GAP + 4, 104);
  const slanted = LEVEL * (widest + LABEL);
  const acrossBeside = (right) => wholeCells(Math.min(Math.max(width - left - right, 40), LARGEST_CELL * count), count);
  const turn = turnOf(acrossBeside(RIGHT) / count, widest);
  const right = turn === -45 ? Math.max(RIGHT, slanted - acrossBeside(RIGHT) / count / 2) : RIGHT;
  const across = acrossBeside(right);
  const labels = { 0: LABEL, [-45]: slanted, [-90]: widest }[turn];
  const top = HEADER + Math.max(labels + GAP + 4, 24);
  const least = count <= TALLEST_LABELS ? 15 * count : Math.min(count, TALLEST);
  const wanted = Math.min(Math.max(0.56 * windowHeight, least, 400), Math.max(across, 240), LARGEST_CELL * count);
  const down = wholeCells(Math.round(wanted), count);
  return {
    area: { left, top, width: across, height: down },
    turn,
    reach: widest + 4,
    width: Math.max(left + across + right, Math.min(width, NARROWEST)),
    height: top + down + RIGHT,
  };
}

/** A length that `count` cells share without fractions of a pixel, where they are so large that few pixels are lost. */
function wholeCells(length, count) {
  return length / count < STEEPEST ? length : count * Math.floor(length / count);
}

/** Cells that are in view, as [first, last] rows and columns. */
export function inView({ frame, count }) {
  const seen = count / frame.zoom;
  const range = (first) => [Math.floor(first), Math.min(count - 1, Math.ceil(first + seen) - 1)];
  return { rows: range(frame.row), columns: range(frame.column) };
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
  const { area, image, frame, count, colours } = scene;
  const { across, down } = cellSize(area, frame, count);
  const [x, y] = [area.left - frame.column * across, area.top - frame.row * down];
  painter.clip(area.left, area.top, area.width, area.height, () => {
    painter.image(image.canvas, x, y, image.columns * across, image.rows * down);
    if (across >= NUMBER.across && down >= NUMBER.down) drawNumbers(painter, scene);
    drawDivide(painter, scene);
  });
  painter.rect(area.left, area.top, area.width, area.height, { stroke: colours.border });
  drawHeader(painter, scene);
  drawLabels(painter, scene);
  drawPartInView(painter, scene);
}

function drawNumbers(painter, scene) {
  const { area, frame, count, weights, ink } = scene;
  const { across, down } = cellSize(area, frame, count);
  const { rows, columns } = inView(scene);
  for (let row = rows[0]; row <= rows[1]; row += 1) {
    for (let column = columns[0]; column <= columns[1]; column += 1) {
      const weight = weights[row * count + column];
      if (weight === HIDDEN) continue;
      const x = area.left + (column + 0.5 - frame.column) * across;
      const y = area.top + (row + 0.5 - frame.row) * down;
      painter.text(x, y, weight.toFixed(2), { colour: inkOf(weight, ink), align: "center" });
    }
  }
}

/** Thin lines where sentence B starts. */
function drawDivide(painter, { area, frame, count, bStart, ink }) {
  if (!bStart || bStart >= count) return;
  const { across, down } = cellSize(area, frame, count);
  const x = area.left + (bStart - frame.column) * across;
  const y = area.top + (bStart - frame.row) * down;
  const lines = [x, area.top, x, area.top + area.height, area.left, y, area.left + area.width, y];
  painter.lines(lines, { colour: ink.muted });
}

function drawHeader(painter, { area, width, title, colours, ink, scale }) {
  const bar = { x: width - RIGHT - BAR.width, y: 20 };
  const small = { colour: ink.muted, size: SMALL };
  painter.text(4, 10, title, { colour: colours.text, size: 16, weight: 600 });
  painter.text(bar.x + BAR.width / 2, 8, "attention weight", { ...small, align: "center" });
  painter.image(scale, bar.x, bar.y, BAR.width, BAR.height);
  painter.rect(bar.x, bar.y, BAR.width, BAR.height, { stroke: colours.border });
  for (const [share, name] of [[0, "0"], [0.5, "0.5"], [1, "1"]]) {
    painter.text(bar.x + share * BAR.width, bar.y + 18, name, { ...small, align: "center" });
  }
  painter.text(area.left, HEADER - 12, "key (to) →", small);
  painter.text(area.left - 14, area.top - 20, "query (from) ↓", { ...small, align: "end" });
}

/** As many labels as fit, of rows and columns whose middle is in view. */
function drawLabels(painter, scene) {
  const { area, frame, count, texts, colours } = scene;
  const { across, down } = cellSize(area, frame, count);
  const { rows, columns } = inView(scene);
  const style = { colour: colours.text, size: LABEL };
  const each = ([from, to], step, first, length, draw) => {
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const middle = (at + 0.5 - first) * (length / count) * frame.zoom;
      if (middle >= 0 && middle <= length) draw(at, middle);
    }
  };
  each(rows, labelStep(down), frame.row, area.height, (row, middle) => {
    painter.text(area.left - GAP, area.top + middle, texts[row], { ...style, align: "end" });
  });
  each(columns, labelStep(across), frame.column, area.width, (column, middle) => {
    columnLabel(painter, scene, area.left + middle, texts[column], style);
  });
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

/** Bars at the right and at the bottom, as long as the share that is in view. */
function drawPartInView(painter, { area, frame, count, ink }) {
  if (frame.zoom === 1) return;
  const share = 1 / frame.zoom;
  const bar = { fill: ink.muted, alpha: 0.6 };
  const [down, across] = [area.height / count, area.width / count];
  painter.rect(area.left + area.width + 10, area.top + frame.row * down, 4, area.height * share, bar);
  painter.rect(area.left + frame.column * across, area.top + area.height + 10, area.width * share, 4, bar);
}

/** Outline of a row and a column, and their labels standing out. A cell is { row, column }, each -1 for none. */
export function drawMarks(painter, scene, cell, { colour, width, alpha = 1 }) {
  const { area, frame, count, texts, colours } = scene;
  const { across, down } = cellSize(area, frame, count);
  const x = area.left + (cell.column - frame.column) * across;
  const y = area.top + (cell.row - frame.row) * down;
  const outline = { stroke: colour, lineWidth: width, alpha };
  painter.clip(area.left, area.top, area.width, area.height, () => {
    if (cell.row >= 0) painter.rect(area.left - 2, y, area.width + 4, down, outline);
    if (cell.column >= 0) painter.rect(x, area.top - 2, across, area.height + 4, outline);
  });
  const bold = { colour, size: LABEL, weight: 700 };
  const cover = { fill: colours.background };
  const middle = placeOfCell(area, frame, count, cell);
  if (cell.row >= 0 && middle.y >= area.top && middle.y <= area.top + area.height) {
    for (const y of labelsNear(middle.y, area.top - frame.row * down, down)) {
      painter.rect(0, y - 9, area.left - 1, 18, cover);
    }
    painter.text(area.left - GAP, middle.y, texts[cell.row], { ...bold, align: "end" });
  }
  if (cell.column >= 0 && middle.x >= area.left && middle.x <= area.left + area.width) {
    for (const x of labelsNear(middle.x, area.left - frame.column * across, across)) {
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
