// @ts-check
// A grid of numbers as coloured cells.
import { pixelImage } from "../../components/shared/canvas_painter.mjs";
import { channelsOf } from "../../components/shared/colour.mjs";
import { rounded } from "../../components/shared/numbers.mjs";
import { drawRing } from "../../components/shared/points.mjs";
import { fitted } from "../../components/shared/text.mjs";
import { GAP, MARGIN, MOST_NAME, SIZE, SMALL, STEEP, headOf, ticksBetween, written } from "./chart_parts.mjs";
import { colourIn, coloursOfGrid, inkOn } from "./grid_colours.mjs";
/** @import { Painter } from "../../components/shared/types.mjs" */
/** @import { ChartPicture, Setting } from "./chart_parts.mjs" */
/** @import { Box, Chart } from "./slide_contents.mjs" */

const [MOST_CELL, MOST_ROW, LEAST_ROW] = [52, 28, 9]; // pixels across and down of a cell, and of the lowest row
const [MOST_WRITTEN, MOST_CELLS] = [24, 60]; // columns whose cells can hold numbers; more than the second are an image
const [BAR, STEPS] = [12, 13]; // pixels down of the scale of colours in the legend, and how many it shows
const TICK = 60; // pixels from one number below an image to the next

/**
 * @param {Chart} chart
 * @param {Setting} setting
 * @returns {ChartPicture}
 */
export function cellsChart(chart, setting) {
  const { colours, theme, width } = setting;
  const scale = coloursOfGrid(chart.grid, theme);
  const head = headOf(chart, setting, legendOf(chart, setting, scale));
  const names = namesOf(chart, setting);
  const layout = layoutOf(chart, setting, head.bottom, names);
  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    drawCells(painter, chart, setting, layout, scale);
    drawNames(painter, chart, setting, layout, names);
    drawMarks(painter, chart, setting, layout);
  };
  /** @param {number} x @param {number} y */
  const titleAt = (x, y) => {
    const { left, top, across, down } = layout;
    return titleOf(chart, Math.floor((y - top) / down), Math.floor((x - left) / across));
  };
  return { name: "numbers", width, height: layout.bottom + layout.below + MARGIN, colours, draw, titleAt };
}

/**
 * Names of rows and columns, cut to the room that there is.
 * @param {Chart} chart
 * @param {Setting} setting
 */
function namesOf({ grid: { rows, columns } }, { measure, width }) {
  return {
    rows: rows.map((name) => fitted(name, Math.min(MOST_NAME, width / 3), measure)),
    columns: columns.map((name) => fitted(name, MOST_NAME, measure)),
  };
}

/** Whether columns have numbers, some of which stand below, and no names above. @param {Chart} chart */
function isCounted({ across }) {
  return across !== "";
}

/**
 * The cells, with their numbers where there is room; very many are an image.
 * @param {Painter} painter
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {Layout} layout
 * @param {readonly string[]} scale
 */
function drawCells(painter, chart, { colours, measure }, { left, top, across, down, size, bottom }, scale) {
  const { columns, values } = chart.grid;
  if (columns.length > MOST_CELLS) {
    painter.image(imageOf(chart, scale), left, top, columns.length * across, bottom - top);
    return;
  }
  const isRoomy = columns.length <= MOST_WRITTEN && down >= SIZE;
  const inCell = numbersInCells(chart, measure, { size, across: isRoomy ? across : 0 });
  values.forEach((numbers, row) =>
    numbers.forEach((value, column) => {
      const [x, y] = [left + column * across, top + row * down];
      const fill = value === null ? colours.background : colourIn(value, chart.grid, scale);
      painter.rect(x, y, across, down, { fill });
      if (!inCell) return;
      const style = { colour: inkOn(fill), align: /** @type {const} */ ("center"), size: inCell.size };
      painter.text(x + across / 2, y + down / 2, inCell.written(value), style);
    }),
  );
}

/**
 * @param {Painter} painter
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {Layout} layout
 * @param {ReturnType<typeof namesOf>} names
 */
function drawNames(painter, chart, setting, layout, names) {
  const { colours } = setting;
  const { left, top, across, down, size, columnSize, isTurned } = layout;
  names.rows.forEach((name, row) => {
    painter.text(left - GAP, top + (row + 0.5) * down, name, { colour: colours.text, align: "end", size });
  });
  if (isCounted(chart)) return drawTicks(painter, chart, setting, layout);
  names.columns.forEach((name, column) => {
    const [x, y] = [left + (column + 0.5) * across, top - GAP];
    const style = { colour: colours.text, size: columnSize };
    if (!isTurned) painter.text(x, y - SIZE / 2, name, { ...style, align: "center" });
    else painter.turned(x, y, STEEP, () => painter.text(0, 0, name, style));
  });
}

/**
 * What is drawn over the cells: dividers, frames, and rings of what is pointed at.
 * @param {Painter} painter
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {Layout} layout
 */
function drawMarks(painter, { grid, dividers, frames, rings }, setting, { left, top, across, down, bottom }) {
  const { colours, theme, ringed } = setting;
  /** @param {Box} box */
  const boxOf = ([row, column, rows, columns]) => ({
    ...{ x: left + column * across, y: top + row * down, width: columns * across, height: rows * down },
  });
  const edges = dividers.flatMap((column) => [left + column * across, top, left + column * across, bottom]);
  if (edges.length) painter.lines(edges, { colour: theme.muted });
  painter.rect(left, top, grid.columns.length * across, bottom - top, { stroke: colours.border });
  for (const box of frames) {
    const { x, y, width, height } = boxOf(box);
    painter.rect(x + 1, y + 1, Math.max(width - 2, 1), height - 2, { stroke: colours.text, lineWidth: 2 });
  }
  if (ringed) for (const box of rings) drawRing(painter, boxOf(box), colours);
}

/**
 * What is said of a cell; "" beside the cells.
 * @param {Chart} chart
 * @param {number} row
 * @param {number} column
 */
function titleOf(chart, row, column) {
  const { rows, columns, values } = chart.grid;
  if (!(row in rows && column in columns)) return "";
  const counted = isCounted(chart) ? `${chart.across} ` : "";
  const framed = chart.frames.some((box) => holds(box, row, column)) ? `, ${chart.frames_name}` : "";
  return `${rows[row]}, ${counted}${columns[column]}: ${written(values[row][column], chart)}${framed}`;
}

/**
 * Where the cells are and how large they and their names are, in pixels.
 * @typedef {object} Layout
 * @property {number} left
 * @property {number} top
 * @property {number} bottom
 * @property {number} across of a cell
 * @property {number} down of a cell
 * @property {number} below the cells, where columns have numbers
 * @property {boolean} isTurned whether the columns' names are
 * @property {number} size of the rows' names
 * @property {number} columnSize of the columns' names
 */

/**
 * Low rows have small names.
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {number} headBottom
 * @param {ReturnType<typeof namesOf>} names
 * @returns {Layout}
 */
function layoutOf(chart, { measure, width, height }, headBottom, names) {
  const { rows, columns } = chart.grid;
  const counted = isCounted(chart);
  const columnName = Math.max(...names.columns.map(measure));
  const left = MARGIN + Math.max(...names.rows.map(measure), measure(chart.across)) + GAP;
  const room = width - left - MARGIN;
  const most = Math.min(room / columns.length, MOST_CELL);
  const isTurned = !counted && (columnName * SMALL) / SIZE + 2 > most;
  const below = counted ? SIZE + 2 * GAP : 0;
  /** @param {number} size of names */
  const withNames = (size) => {
    const columnSize = isTurned || columnName + 2 > most ? Math.min(size, isTurned ? SIZE : SMALL) : size;
    const widest = (columnName * columnSize) / SIZE;
    const lean = isTurned ? widest * Math.cos((STEEP * Math.PI) / 180) : 0;
    const slope = Math.abs(Math.sin((STEEP * Math.PI) / 180));
    const across = counted ? room / columns.length : Math.min((room - lean) / columns.length, MOST_CELL);
    const top = headBottom + (counted ? 0 : isTurned ? widest * slope + 2 * GAP : SIZE + GAP);
    const highest = Math.max(MOST_ROW, Math.min(across, MOST_CELL));
    const down = Math.min(Math.max((height - top - below - MARGIN) / rows.length, LEAST_ROW), highest);
    return { left, top, bottom: top + rows.length * down, across, down, below, isTurned, size, columnSize };
  };
  const large = withNames(SIZE);
  return large.down > SIZE ? large : withNames(Math.max(large.down, LEAST_ROW));
}

/**
 * How numbers are written into cells: with all of their digits, or with as many as there is room for; null where there is
 * none for three digits of the number at the end of the scale.
 * @param {Chart} chart
 * @param {Setting["measure"]} measure
 * @param {{ size: number, across: number }} cell the size of names, and the pixels across
 */
function numbersInCells({ grid, percent }, measure, { size, across }) {
  const end = Math.max(...grid.range.map(Math.abs), Number.MIN_VALUE);
  const fewest = Math.min(grid.digits, Math.max(2 - Math.floor(Math.log10(end)), 0));
  for (let { digits } = grid; digits >= fewest; digits -= 1) {
    /** @param {number | null} value */
    const short = (value) => written(value, { grid: { ...grid, digits }, percent });
    const widest = Math.max(...grid.values.flat().map((value) => measure(short(value))));
    const fitting = widest + 6 <= across ? size : Math.min(size, SMALL);
    if ((widest * fitting) / SIZE + 3 <= across) return { written: short, size: fitting };
  }
  return null;
}

/** @param {Box} box @param {number} row @param {number} column */
function holds([top, left, rows, columns], row, column) {
  return row >= top && row < top + rows && column >= left && column < left + columns;
}

/**
 * What the colours are, and what a frame is.
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {readonly string[]} scale
 */
function legendOf({ grid, frames, frames_name: framesName }, { colours }, scale) {
  const [low, high] = grid.range.map((end) => rounded(end, grid.digits));
  /** @param {Painter} painter @param {number} x @param {number} y @param {number} width */
  const bar = (painter, x, y, width) => {
    for (let step = 0; step < STEPS; step += 1) {
      const fill = scale[Math.round((step * (scale.length - 1)) / (STEPS - 1))];
      painter.rect(x + (step * width) / STEPS, y - BAR / 2, width / STEPS, BAR, { fill });
    }
    painter.rect(x, y - BAR / 2, width, BAR, { stroke: colours.border });
  };
  /** @param {Painter} painter @param {number} x @param {number} y @param {number} width */
  const frame = (painter, x, y, width) =>
    painter.rect(x + width / 4, y - SMALL / 2, width / 2, SMALL, { stroke: colours.text, lineWidth: 2 });
  const ends = { name: `${low} to ${high}`, mark: bar };
  return frames.length ? [ends, { name: framesName, mark: frame }] : [ends];
}

/**
 * One pixel for each number.
 * @param {Chart} chart
 * @param {readonly string[]} scale
 */
function imageOf({ grid }, scale) {
  const { rows, columns, values } = grid;
  const bytes = new Uint8ClampedArray(rows.length * columns.length * 4);
  values.flat().forEach((value, at) => {
    if (value !== null) bytes.set([...channelsOf(colourIn(value, grid, scale)), 255], 4 * at);
  });
  return pixelImage(bytes, columns.length, rows.length);
}

/**
 * Numbers of some columns below the cells, and what they count.
 * @param {Painter} painter
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {{ left: number, across: number, bottom: number }} place
 */
function drawTicks(painter, { grid: { columns }, across: counted }, { theme }, { left, across, bottom }) {
  const look = { colour: theme.muted, size: SMALL + 1 };
  const y = bottom + GAP + SMALL / 2;
  painter.text(left - GAP, y, counted, { ...look, align: "end" });
  for (const column of ticksBetween(0, columns.length - 1, (columns.length * across) / TICK)) {
    if (!Number.isInteger(column)) continue;
    painter.text(left + (column + 0.5) * across, y, columns[column], { ...look, align: "center" });
  }
}
