// @ts-check
// A grid of numbers as a picture, for files: on the page it is a table (`number_grids.mjs`).
import { fitted } from "../../components/shared/text.mjs";
import { colourIn, coloursOfGrid, inkOn } from "./number_grids.mjs";
/** @import { Measure } from "../../components/shared/text.mjs" */
/** @import { Colours, DataTheme, Painter, Picture } from "../../components/shared/types.mjs" */
/** @import { NumberGrid } from "./contents.mjs" */

const CELL = { width: 52, height: 28 };
const [SIZE, MOST_NAME, GAP, MARGIN] = [14, 180, 8, 12]; // pixels
const WRITTEN = 24; // columns up to which a cell holds its number; more have narrow cells
const NARROW = 12;
const BOLD = 1.12; // width of a bold text over that of a plain one
const STEEP = -60; // degrees by which the names of columns are turned

/**
 * @param {NumberGrid} grid
 * @param {DataTheme} theme
 * @param {Colours} colours
 * @param {Measure} measure of a text of SIZE pixels
 * @returns {Picture}
 */
export function gridPicture(grid, theme, colours, measure) {
  const { caption, rows, columns, values } = grid;
  const across = columns.length > WRITTEN ? NARROW : CELL.width;
  const [rowNames, columnNames] = [rows, columns].map((names) => names.map((name) => fitted(name, MOST_NAME, measure)));
  const left = MARGIN + Math.max(...rowNames.map(measure)) + GAP;
  const slope = Math.abs(Math.sin((STEEP * Math.PI) / 180));
  const top = 2 * MARGIN + SIZE + Math.max(...columnNames.map(measure)) * slope + GAP;
  const lean = Math.max(...columnNames.map(measure)) * Math.cos((STEEP * Math.PI) / 180);
  const width = Math.max(left + columns.length * across + lean, BOLD * measure(caption) + MARGIN) + MARGIN;
  const height = top + rows.length * CELL.height + MARGIN;
  const scale = coloursOfGrid(grid, theme);
  /** @param {Painter} painter */
  const draw = (painter) => {
    painter.text(MARGIN, MARGIN + SIZE / 2, caption, { colour: colours.text, weight: 600 });
    columnNames.forEach((name, column) => {
      painter.turned(left + (column + 0.5) * across, top - GAP, STEEP, () => {
        painter.text(0, 0, name, { colour: colours.text });
      });
    });
    rowNames.forEach((name, row) => {
      const y = top + row * CELL.height;
      painter.text(left - GAP, y + CELL.height / 2, name, { colour: colours.text, align: "end" });
      values[row].forEach((value, column) => {
        const fill = colourIn(value, grid, scale);
        painter.rect(left + column * across, y, across, CELL.height, { fill });
        if (across === NARROW) return;
        painter.text(left + (column + 0.5) * across, y + CELL.height / 2, value.toFixed(grid.digits), {
          colour: inkOn(fill),
          align: "center",
        });
      });
    });
  };
  return { name: "numbers", width, height, colours, draw };
}
