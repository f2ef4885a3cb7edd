// @ts-check
// What a stop of a tour points at: rings around tokens, and the line between the two of a cell.
import { drawRing, unitsOf } from "../shared/points.mjs";
import { isIn } from "../shared/ranges.mjs";
import { HEADER } from "./layout.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Painter } from "../shared/types.mjs" */
/** @import { Part } from "./layout.mjs" */
/** @import { Side } from "./lines.mjs" */
/** @import { Scene } from "./scene.mjs" */

const LINE = 3; // pixels of width

/**
 * @param {Painter} painter
 * @param {Scene} scene
 * @param {Part} part
 * @param {readonly Point[]} points
 */
export function drawPoints(painter, scene, part, points) {
  const { layout, positions, colours } = scene;
  /** @type {(side: Side, tokens: readonly number[]) => number[]} */
  const unitsAt = (side, tokens) => unitsOf(tokens, positions).filter((unit) => isIn(scene.ranges[side], unit));
  painter.clip(0, HEADER, layout.width, part.height - HEADER, () => {
    for (const point of points) {
      if (point.kind === "head") continue;
      const queries = unitsAt(0, point.kind === "cell" ? point.query : point.token);
      const keys = unitsAt(1, point.kind === "cell" ? point.key : point.token);
      if (point.kind === "cell") {
        const [left, right] = layout.lines;
        const ends = queries.flatMap((query) =>
          keys.flatMap((key) => [left, layout.ys[0][query] - part.top, right, layout.ys[1][key] - part.top]),
        );
        painter.lines(ends, { colour: colours.ring, width: LINE });
      }
      for (const unit of queries) ringToken(painter, scene, part, 0, unit);
      for (const unit of keys) ringToken(painter, scene, part, 1, unit);
    }
  });
}

/** @param {Painter} painter @param {Scene} scene @param {Part} part @param {Side} side @param {number} unit */
function ringToken(painter, { layout, colours }, part, side, unit) {
  const { labels, label, row, ys } = layout;
  const x = side === 0 ? labels[0] - label - 2 : labels[1] - 2;
  const box = { x, y: ys[side][unit] - row / 2 + 3 - part.top, width: label + 4, height: row - 6 };
  drawRing(painter, box, colours);
}
