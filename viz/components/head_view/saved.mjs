// @ts-check
// The picture of a head view that is saved.
import { fileName, isWeights } from "../shared/quantity.mjs";
import { MEAN } from "../shared/selection.mjs";
import { drawFrames, drawTokens, drawWeights, visibleUnits } from "./draw.mjs";
import { drawPoints } from "./points.mjs";
import { drawStrokes, pickedStrokes, tokenStrokes } from "./strokes.mjs";
/** @import { Point } from "../shared/points.mjs" */
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Painter, Picture, TextStyle } from "../shared/types.mjs" */
/** @import { Part, Token } from "./layout.mjs" */
/** @import { Side } from "./lines.mjs" */
/** @import { Scene } from "./scene.mjs" */

const MOST_SAVED = 250_000; // lines of a whole picture; more make files that few programs open
const NOTE = 30; // height of the line that says what is left out

/**
 * The whole picture as it is now. Of too many lines it is the part that is on the screen, and says so. One token alone
 * has few lines.
 * @param {Scene} scene
 * @param {object} options
 * @param {number} options.layer
 * @param {readonly Point[]} [options.points] what a stop of a tour points at
 * @param {Token | null} options.focus the token that is shown alone
 * @param {readonly Token[]} options.pinned
 * @param {Part} options.shown
 * @param {Measure} options.measure
 * @param {number} [options.most] lines of a whole picture
 * @returns {Picture}
 */
export function savedPicture(scene, { layer, points = [], focus, pinned, shown, measure, most = MOST_SAVED }) {
  const { layout, planes, colours, drawn, quantity } = scene;
  const isCut = !focus && drawn > most;
  const part = isCut ? shown : { top: 0, height: layout.height };
  /** @param {Painter} painter */
  const draw = (painter) => {
    const strokes = focus ? tokenStrokes(scene, part, focus) : pickedStrokes(scene, part);
    drawStrokes(painter, strokes, scene, part);
    if (focus) drawWeights(painter, scene, part, focus);
    drawFrames(painter, scene, part, pinned, null);
    drawTokens(painter, scene, part, measure);
    drawPoints(painter, scene, part, points);
    if (!isCut) return;
    /** @type {TextStyle} */
    const style = { colour: colours.muted, size: 14, align: "center" };
    painter.text(layout.width / 2, part.height + NOTE / 2, noteOf(scene, part), style);
  };
  const heads = planes.map(({ head }) => (head === MEAN ? "mean" : `H${head}`)).join("-") || "none";
  const what = isWeights(quantity) ? `attention-L${layer}-${heads}` : fileName(scene);
  const name = `${what}${isCut ? "-part" : ""}`;
  return { name, width: layout.width, height: part.height + (isCut ? NOTE : 0), colours, draw };
}

/** @param {Scene} scene @param {Part} part */
function noteOf({ layout, drawn, numbers }, part) {
  /** @param {Side} side */
  const range = (side) => {
    const units = [...visibleUnits(layout, side, part)];
    const [from, to] = layout.ranges[side];
    return `${numbers[units[0]]}–${numbers[units[units.length - 1]]} of ${to - from}`;
  };
  const lines = drawn.toLocaleString("en");
  return `Queries ${range(0)}, keys ${range(1)}: all ${lines} lines are too many for one picture.`;
}
