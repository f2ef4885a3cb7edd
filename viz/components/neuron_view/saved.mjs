// @ts-check
// The picture of a neuron view that is saved.
import { headName } from "../shared/selection.mjs";
import { fitted } from "../shared/text.mjs";
import { laidOut } from "./drawing.mjs";
import { HEADING, ROW } from "./layout.mjs";
import { UNLIT, drawHeading, drawRows } from "./picture.mjs";
import { pointedAt } from "./points.mjs";
import { formulaOf } from "./scene.mjs";
/** @import { Painter, Picture } from "../shared/types.mjs" */
/** @import { Typeset } from "./drawing.mjs" */

const MARGIN = 16;
const FORMULA = 72; // height of the formula

/**
 * All of a scene, with the formula above it, and without a tour's rings.
 * @param {Typeset} scene
 * @param {number} width
 * @returns {Picture}
 */
export function savedPicture(scene, width) {
  const drawing = laidOut({ ...scene, pointed: pointedAt([], scene.query) }, { width: width + MARGIN, left: MARGIN });
  const { colours, muted, query, first, rows, head, measure, layout } = drawing;
  const { rule, rest, numbers, from, to } = formulaOf(scene, first);
  /** @type {(painter: Painter, y: number, text: string, style: { colour: string, size: number, weight: number }) => void} */
  const drawLine = (painter, y, text, style) => {
    painter.text(MARGIN, y, fitted(text, layout.right - MARGIN, measure(style.size, style.weight)), style);
  };
  /** @param {Painter} painter */
  const draw = (painter) => {
    const sentence = `${headName(head.layer, head.head)}:  ${rule}.  ${rest}`;
    drawLine(painter, MARGIN + 10, sentence, { colour: muted, size: 16, weight: 400 });
    const steps = `${from} → ${to}:  ${numbers.join(",  ")}`;
    drawLine(painter, MARGIN + 40, steps, { colour: colours.text, size: 18, weight: 600 });
    drawHeading(painter, drawing, UNLIT, MARGIN + FORMULA);
    drawRows(painter, drawing, UNLIT, 0, rows.length, MARGIN + FORMULA + HEADING);
  };
  return {
    name: `neuron-L${head.layer}-H${head.head}-query-${query}`,
    width: layout.right + MARGIN,
    height: FORMULA + HEADING + rows.length * ROW + 2 * MARGIN,
    colours,
    draw,
  };
}
