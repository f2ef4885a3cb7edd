// @ts-check
// The norms as tables whose cells are coloured: a picture, and readable by anyone.
import { contrastOf, hexOf, ramp } from "../../components/shared/colour.mjs";
import { element } from "../../components/shared/elements.mjs";
import { written } from "./chart_parts.mjs";
/** @import { DataTheme } from "../../components/shared/types.mjs" */
/** @import { NumberGrid } from "./contents.mjs" */

const [BLACK, WHITE] = ["#000000", "#ffffff"];
const WRITTEN = 24; // columns up to which a cell holds its number; in more it is in the tooltip

/**
 * @param {readonly NumberGrid[]} grids
 * @param {DataTheme} theme
 * @returns {HTMLElement}
 */
export function numberGrids(grids, theme) {
  const root = element("div", "grids");
  root.append(...grids.map((grid) => gridElement(grid, coloursOfGrid(grid, theme))));
  return root;
}

/**
 * The colours from the low end of a grid's range to its high end.
 * @param {NumberGrid} grid
 * @param {DataTheme} theme
 */
export function coloursOfGrid({ signed }, theme) {
  return ramp(signed ? theme.diverging : theme.sequential).map(hexOf);
}

/**
 * The colour of a number.
 * @param {number} value
 * @param {NumberGrid} grid
 * @param {readonly string[]} colours
 */
export function colourIn(value, { range: [low, high] }, colours) {
  const share = high > low ? (value - low) / (high - low) : 0;
  return colours[Math.round(Math.min(Math.max(share, 0), 1) * (colours.length - 1))];
}

/**
 * The colour of a number that is read on another colour, which the page's own colours are not dark and light enough for.
 * @param {string} fill
 */
export function inkOn(fill) {
  return contrastOf(fill, BLACK) > contrastOf(fill, WHITE) ? BLACK : WHITE;
}

/** @param {NumberGrid} grid @param {readonly string[]} colours */
function gridElement(grid, colours) {
  const { caption, rows, columns, values } = grid;
  const table = element("table", columns.length > WRITTEN ? "grid dense" : "grid");
  table.append(element("caption", "", caption));
  const head = table.createTHead().insertRow();
  head.append(element("td"), ...columns.map((name) => heading(name, "col")));
  const body = table.createTBody();
  rows.forEach((name, index) => {
    const row = body.insertRow();
    row.append(heading(name, "row"));
    values[index].forEach((value, column) => {
      const cell = row.insertCell();
      const fill = colourIn(value ?? grid.range[0], grid, colours);
      cell.textContent = written(value, { grid, percent: false });
      cell.title = `${name}, ${columns[column]}: ${cell.textContent}`;
      cell.style.backgroundColor = fill;
      cell.style.color = inkOn(fill);
    });
  });
  const scroller = element("div", "grid-scroller");
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  scroller.setAttribute("aria-label", caption);
  scroller.append(table);
  return scroller;
}

/** @param {string} text @param {"col" | "row"} scope */
function heading(text, scope) {
  const cell = element("th");
  cell.scope = scope;
  cell.append(element("span", "", text));
  return cell;
}
