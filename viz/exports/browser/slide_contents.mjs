// @ts-check
// What slides are made of: the types of the JSON that Python writes into them (`viz/exports/slides.py`). The words stand in
// the page. Nothing in here runs.
/** @import { Quantity } from "../../components/shared/quantity.mjs" */
/** @import { DataTheme, Selection } from "../../components/shared/types.mjs" */
/** @import { NumberGrid, RunContents, ViewName } from "./contents.mjs" */

/**
 * How a row of a grid is drawn.
 * @typedef {object} Series
 * @property {"text" | "muted" | "primary" | "A" | "B" | number} colour a number is that of a head's colour
 * @property {"solid" | "dash" | "dot"} dash
 * @property {"circle" | "square" | "diamond" | "triangle" | "star" | ""} symbol
 * @property {boolean} numbered whether a curve's points have their numbers
 * @property {[low: number[], high: number[]] | null} area that is shaded around a curve
 * @property {string} area_name what lies within it
 * @property {string} name of a group of points; curves and parts of bars have those of their rows
 */

/**
 * A block of cells.
 * @typedef {readonly [row: number, column: number, rows: number, columns: number]} Box
 */

/**
 * A grid as a picture.
 * @typedef {object} Chart
 * @property {"cells" | "curves" | "points" | "stacked bars" | "profile"} look
 * @property {NumberGrid} grid
 * @property {string} said a sentence below the caption
 * @property {Series[]} series one for each row of curves and stacked bars, or for each group of points
 * @property {number[]} groups the series of each point
 * @property {string[]} hover what is said of each point, in lines
 * @property {string} across what the columns are
 * @property {string} value what the numbers are
 * @property {boolean} percent whether the numbers are written as such
 * @property {number[] | null} places of the columns of curves on an axis of numbers
 * @property {boolean} logarithmic whether both axes are
 * @property {[place: number, words: string][]} lines across curves, at a column or at a place on the axis of numbers
 * @property {NumberGrid | null} histogram behind curves: one row, on the same axis of numbers
 * @property {string[][]} notes lines under the name of each column
 * @property {Box[]} frames of cells that stand out
 * @property {string} frames_name what they are
 * @property {Box[]} rings of what the stop points at
 * @property {number[]} dividers columns that begin a group
 */

/**
 * A view that answers.
 * @typedef {object} LivePicture
 * @property {ViewName} view
 * @property {number[]} runs their numbers among the runs of the slides
 * @property {Selection} selection with what the stop points at
 * @property {number} part the attention that is shown, of a run that has several
 * @property {number | null} until the first unit that is not written yet; null where all is shown
 * @property {[row: number, column: number][]} marks cells that are outlined
 * @property {string} marks_name what they are
 * @property {Quantity | null} quantity what is drawn in place of weights
 */

/**
 * @typedef {object} SlideContents
 * @property {string} title
 * @property {boolean} asks whether a question is shown first
 * @property {LivePicture | null} picture
 * @property {Chart[]} charts
 */

/**
 * @typedef {object} SlidesContents
 * @property {string} title
 * @property {Record<"light" | "dark", DataTheme>} themes
 * @property {RunContents[]} runs
 * @property {SlideContents[]} slides
 */

export {};
