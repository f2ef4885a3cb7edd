// @ts-check
// A grid of numbers as coloured cells.
import { pixelImage } from "../../components/shared/canvas_painter.mjs";
import { channelsOf } from "../../components/shared/colour.mjs";
import { drawRing } from "../../components/shared/points.mjs";
import { fitted } from "../../components/shared/text.mjs";
import { GAP, MARGIN, MOST_NAME, SIZE, SMALL, STEEP, headOf, ticksBetween, written } from "./chart_parts.mjs";
import { colourIn, coloursOfGrid, inkOn } from "./number_grids.mjs";
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
  const { grid } = chart;
  const { colours, theme, measure } = setting;
  const { rows, columns, values } = grid;
  const scale = coloursOfGrid(grid, theme);
  const head = headOf(chart, setting, legendOf(chart, setting, scale));
  const isCounted = chart.across !== ""; // columns have numbers, some of which stand below
  const rowNames = rows.map((name) => fitted(name, Math.min(MOST_NAME, setting.width / 3), measure));
  const columnNames = columns.map((name) => fitted(name, MOST_NAME, measure));
  const { left, top, across, down, below, isTurned, size, columnSize } = layoutOf(chart, setting, {
    top: head.bottom,
    rowName: Math.max(...rowNames.map(measure)),
    columnName: Math.max(...columnNames.map(measure)),
  });
  const bottom = top + rows.length * down;
  const inCell = numbersInCells(chart, measure, {
    size,
    across: columns.length <= MOST_WRITTEN && down >= SIZE ? across : 0,
  });
  /** @param {number} column */
  const xOf = (column) => left + column * across;
  /** @param {number} row */
  const yOf = (row) => top + row * down;
  /** @param {Box} box */
  const boxOf = ([row, column, tall, wide]) => ({
    ...{ x: xOf(column), y: yOf(row), width: wide * across, height: tall * down },
  });

  /** @param {Painter} painter */
  const drawCells = (painter) => {
    values.forEach((row, at) =>
      row.forEach((value, column) => {
        const fill = value === null ? colours.background : colourIn(value, grid, scale);
        painter.rect(xOf(column), yOf(at), across, down, { fill });
        if (!inCell) return;
        const place = { x: xOf(column + 0.5), y: yOf(at + 0.5) };
        painter.text(place.x, place.y, inCell.written(value), {
          colour: inkOn(fill),
          align: "center",
          size: inCell.size,
        });
      }),
    );
  };

  /** @param {Painter} painter */
  const drawNames = (painter) => {
    rowNames.forEach((name, row) => {
      painter.text(left - GAP, yOf(row + 0.5), name, { colour: colours.text, align: "end", size });
    });
    if (isCounted) return drawTicks(painter, chart, setting, { left, across, bottom });
    columnNames.forEach((name, column) => {
      const place = { x: xOf(column + 0.5), y: top - GAP };
      const look = { colour: colours.text, size: columnSize };
      if (!isTurned) painter.text(place.x, place.y - SIZE / 2, name, { ...look, align: "center" });
      else painter.turned(place.x, place.y, STEEP, () => painter.text(0, 0, name, look));
    });
  };

  /** @param {Painter} painter */
  const drawMarks = (painter) => {
    const edges = chart.dividers.flatMap((column) => [xOf(column), top, xOf(column), bottom]);
    if (edges.length) painter.lines(edges, { colour: theme.muted });
    painter.rect(left, top, columns.length * across, bottom - top, { stroke: colours.border });
    for (const box of chart.frames) {
      const { x, y, width, height } = boxOf(box);
      painter.rect(x + 1, y + 1, Math.max(width - 2, 1), height - 2, { stroke: colours.text, lineWidth: 2 });
    }
    if (setting.ringed) for (const box of chart.rings) drawRing(painter, boxOf(box), colours);
  };

  /** @param {Painter} painter */
  const draw = (painter) => {
    head.draw(painter);
    if (columns.length > MOST_CELLS) {
      painter.image(imageOf(chart, scale), left, top, columns.length * across, bottom - top);
    } else drawCells(painter);
    drawNames(painter);
    drawMarks(painter);
  };

  /** @param {number} x @param {number} y */
  const titleAt = (x, y) => {
    const [row, column] = [Math.floor((y - top) / down), Math.floor((x - left) / across)];
    if (!(row in rows && column in columns)) return "";
    const counted = isCounted ? `${chart.across} ` : "";
    const isFramed = chart.frames.some((box) => holds(box, row, column));
    const framed = isFramed ? `, ${chart.frames_name}` : "";
    return `${rows[row]}, ${counted}${columns[column]}: ${written(values[row][column], chart)}${framed}`;
  };
  return { name: "numbers", width: setting.width, height: bottom + below + MARGIN, colours, draw, titleAt };
}

/**
 * Where the cells are and how large they and their names are. Low rows have small names.
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {{ top: number, rowName: number, columnName: number }} head its lower end, and how wide the widest names are
 */
function layoutOf({ grid: { rows, columns }, across: counted }, { measure, width, height }, head) {
  const isCounted = counted !== "";
  const left = MARGIN + Math.max(head.rowName, measure(counted)) + GAP;
  const room = width - left - MARGIN;
  const most = Math.min(room / columns.length, MOST_CELL);
  const isTurned = !isCounted && (head.columnName * SMALL) / SIZE + 2 > most;
  const below = isCounted ? SIZE + 2 * GAP : 0;
  /** @param {number} size of names */
  const withNames = (size) => {
    const columnSize = isTurned || head.columnName + 2 > most ? Math.min(size, isTurned ? SIZE : SMALL) : size;
    const widest = (head.columnName * columnSize) / SIZE;
    const lean = isTurned ? widest * Math.cos((STEEP * Math.PI) / 180) : 0;
    const slope = Math.abs(Math.sin((STEEP * Math.PI) / 180));
    const across = isCounted ? room / columns.length : Math.min((room - lean) / columns.length, MOST_CELL);
    const top = head.top + (isCounted ? 0 : isTurned ? widest * slope + 2 * GAP : SIZE + GAP);
    const down = (height - top - below - MARGIN) / rows.length;
    const highest = Math.max(MOST_ROW, Math.min(across, MOST_CELL));
    return { left, top, across, below, isTurned, size, columnSize, down: Math.min(Math.max(down, LEAST_ROW), highest) };
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
  const [low, high] = grid.range.map((end) => String(Number(end.toFixed(grid.digits))).replace("-", "−"));
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
