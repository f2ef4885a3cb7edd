// @ts-check
// What slides are made of: the types of the JSON that Python writes into them (`viz/slides/contents.py`). The words
// stand in the page. Nothing in here runs.
/** @import { Quantity } from "../../../components/shared/quantity.mjs" */
/** @import { DataTheme, Selection } from "../../../components/shared/types.mjs" */
/** @import { RunContents, ViewName } from "../contents.mjs" */

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
 * @property {Quantity | null} quantity what is drawn instead of weights
 */

/**
 * @typedef {object} SlideContents
 * @property {string} title
 * @property {boolean} asks whether a question is shown first
 * @property {boolean} reveals_picture whether the answer reveals the pictures
 * @property {LivePicture | null} picture
 */

/**
 * @typedef {object} SlidesContents
 * @property {string} title
 * @property {Record<"light" | "dark", DataTheme>} themes
 * @property {RunContents[]} runs
 * @property {SlideContents[]} slides
 */

export {};
