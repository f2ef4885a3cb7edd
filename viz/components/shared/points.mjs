// What a tour stop highlights: the points that Python sends, filtered for one text, and the ring around each.
import { unitOf } from "./ranges.mjs";
import { NOTHING } from "./selection.mjs";
/** @import { Colours, Painter } from "./types.mjs" */

const RING = { width: 3, halo: 6, around: 2 }; // pixels: line, halo, and distance from the ringed box

/**
 * A head of the map, a token, or a cell of the heat map (a line of the head view). Tokens are the positions of a word's
 * pieces in the text of a run: "pair", or "A" and "B" for two texts encoded separately.
 * @typedef {{ kind: "head", layer: number, head: number }} HeadPoint
 * @typedef {{ kind: "token", run: string, token: number[] }} TokenPoint
 * @typedef {{ kind: "cell", run: string, query: number[], key: number[] }} CellPoint
 * @typedef {HeadPoint | TokenPoint | CellPoint} Point
 */

/**
 * The points in the given texts.
 * @param {readonly Point[]} points
 * @param {readonly string[]} texts of a view: both of a pair, or one
 * @returns {Point[]}
 */
export function pointsIn(points, texts) {
  const run = texts.length === 2 ? "pair" : texts[0];
  return points.filter((point) => point.kind === "head" || point.run === run);
}

/** The tokens of a point. @param {Point} point */
export function tokensOf(point) {
  if (point.kind === "token") return point.token;
  return point.kind === "cell" ? [...point.query, ...point.key] : [];
}

/**
 * The units of a word's tokens, each once; hidden tokens have none.
 * @param {readonly number[]} tokens
 * @param {readonly number[][]} positions of each unit's tokens
 */
export function unitsOf(tokens, positions) {
  const units = tokens.map((token) => unitOf(positions, token));
  return [...new Set(units)].filter((unit) => unit !== NOTHING);
}

/**
 * A ring around a box, visible on every colour.
 * @param {Painter} painter @param {{ x: number, y: number, width: number, height: number }} box
 * @param {Colours} colours
 * @param {{ isOnPage?: boolean }} [options] true omits the halo, which could cover text on the page's background
 */
export function drawRing(painter, { x, y, width, height }, { ring, background }, { isOnPage = false } = {}) {
  const { around, halo, width: line } = RING;
  /** @type {(stroke: string, lineWidth: number) => void} */
  const draw = (stroke, lineWidth) => {
    painter.rect(x - around, y - around, width + 2 * around, height + 2 * around, { stroke, lineWidth });
  };
  if (!isOnPage) draw(background, halo);
  draw(ring, line);
}
