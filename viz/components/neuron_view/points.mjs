// @ts-check
// What a stop of a tour points at: rings around tokens, and around the key's row of a cell.
import { drawRing } from "../shared/points.mjs";
import { ROW } from "./layout.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Painter } from "../shared/types.mjs" */
/** @import { Drawing } from "./drawing.mjs" */
/** @import { Scene } from "./scene.mjs" */

const QUERY = { top: 27, height: 22 }; // the query's name in the heading
const INSIDE = 4; // pixels from the edges of a row, so that rings of neighbours stay apart

/**
 * Positions that are pointed at while a query is chosen. A cell of another query rings that query in the list, where it
 * can be chosen.
 * @param {readonly Point[]} points
 * @param {number} query
 */
export function pointedAt(points, query) {
  const tokens = points.flatMap((point) => (point.kind === "token" ? point.token : []));
  const cells = points.filter((point) => point.kind === "cell");
  return {
    queries: new Set([...tokens, ...cells.flatMap((cell) => cell.query)]),
    keys: new Set(tokens),
    rows: new Set(cells.flatMap((cell) => (cell.query.includes(query) ? cell.key : []))),
  };
}

/** @typedef {ReturnType<typeof pointedAt>} Pointed */

/**
 * The first row that is pointed at, where it was not pointed at before; null where there is none.
 * @param {Pick<Scene, "rows" | "pointed">} scene
 * @param {Pick<Scene, "rows" | "pointed"> | null} before
 */
export function newlyPointed(scene, before) {
  const [now, then] = [scene, before].map((one) => one?.rows.find((key) => isPointed(one.pointed, key)) ?? null);
  return now === then ? null : now;
}

/** @param {Pointed} pointed @param {number} key */
function isPointed({ keys, rows }, key) {
  return keys.has(key) || rows.has(key);
}

/** The query's name. @param {Painter} painter @param {Drawing} drawing @param {number} top of the heading */
export function ringQuery(painter, { layout: { left, label }, query, pointed, colours }, top) {
  if (!pointed.queries.has(query)) return;
  drawRing(painter, { x: left, y: top + QUERY.top, width: label, height: QUERY.height }, colours);
}

/**
 * The name of a key, or its whole row.
 * @param {Painter} painter
 * @param {Drawing} drawing
 * @param {number} key
 * @param {number} y of its row
 */
export function ringKey(painter, { layout: { left, label, right }, pointed, colours }, key, y) {
  const box = { x: left, y: y + INSIDE, height: ROW - 2 * INSIDE };
  if (pointed.keys.has(key)) drawRing(painter, { ...box, width: label }, colours);
  if (pointed.rows.has(key)) drawRing(painter, { ...box, width: right - left - INSIDE }, colours);
}
