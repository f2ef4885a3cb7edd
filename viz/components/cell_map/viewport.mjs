// @ts-check
// The part of the cells that is in view, and how it moves.
import { clamped as within } from "../shared/ranges.mjs";
import { WHOLE, cellSize, clamped, enlarged, panned, placeOfCell, pointAt, revealing, zoomedAt } from "./frame.mjs";
/** @import { Cell } from "./block.mjs" */
/** @import { Frame, Grid, Place, Sides } from "./frame.mjs" */

/**
 * The part of each view's text that was last in view: another view may take the place of this one in between.
 * @type {Map<string, { text: string, frame: Frame }>}
 */
const lastFrames = new Map();

export class Viewport {
  frame = WHOLE;
  /** @type {Grid | null} */
  #grid = null;
  #place = "";
  #text = "";

  /** @param {() => void} moved called when another part is in view */
  constructor(moved) {
    this.moved = moved;
  }

  /**
   * Open a text as it was when it was last seen.
   * @param {string} place that the view has on the page
   * @param {string} text
   * @returns {boolean} whether it is another one
   */
  open(place, text) {
    if (text === this.#text) return false;
    const last = lastFrames.get(place);
    this.frame = last?.text === text ? last.frame : WHOLE;
    [this.#place, this.#text] = [place, text];
    return true;
  }

  /**
   * Another size of the page.
   * @param {Grid} grid
   */
  fit(grid) {
    this.#grid = grid;
    this.#look(this.frame);
  }

  showAll() {
    this.#look(WHOLE);
  }

  /**
   * @param {Sides} pixels
   * @returns {boolean} whether another part is in view
   */
  pan({ across, down }) {
    if (!this.#grid) return false;
    const size = cellSize(this.#grid, this.frame);
    return this.#look(panned(this.#grid, this.frame, down / size.down, across / size.across));
  }

  /**
   * Zoom about a place on the canvas, or else about a cell, or else about the middle.
   * @param {number} factor
   * @param {Place | null} place
   * @param {Cell | null} cell
   * @returns {boolean} whether another part is in view
   */
  zoom(factor, place, cell) {
    if (!this.#grid) return false;
    const { left, top, width, height } = this.#grid.area;
    const middle = { x: left + width / 2, y: top + height / 2 };
    const about = place ?? (cell ? placeOfCell(this.#grid, this.frame, cell) : middle);
    return this.#look(zoomedAt(this.#grid, this.frame, factor, pointAt(this.#grid, this.frame, about)));
  }

  /**
   * Look at what lies between two places on the canvas.
   * @param {Place} from
   * @param {Place} to
   */
  enlarge(from, to) {
    const grid = this.#grid;
    if (!grid) return;
    const { left, top, width, height } = grid.area;
    const [start, end] = [from, to].map(({ x, y }) => {
      return pointAt(grid, this.frame, { x: within(x, left, left + width), y: within(y, top, top + height) });
    });
    this.#look(enlarged(grid, start, end));
  }

  /**
   * Move as little as shows all of a cell.
   * @param {Cell} cell
   */
  reveal(cell) {
    if (this.#grid) this.#look(revealing(this.#grid, this.frame, cell));
  }

  /** @param {Frame} frame */
  #look(frame) {
    if (!this.#grid) return false;
    const [next, last] = [clamped(this.#grid, frame), this.frame];
    const changes = [next.zoom - last.zoom, next.row - last.row, next.column - last.column];
    this.frame = next;
    lastFrames.set(this.#place, { text: this.#text, frame: next });
    const isOther = changes.some((change) => Math.abs(change) >= 1e-9);
    if (isOther) this.moved();
    return isOther;
  }
}
