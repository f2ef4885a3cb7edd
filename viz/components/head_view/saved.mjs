// The picture of a head view that is saved.
import { drawFrames, drawStrokes, drawTokens, drawWeights, focusStrokes, strokes, visibleUnits } from "./draw.mjs";
import { MEAN } from "./lines.mjs";

export const MOST_SAVED = 250_000; // lines of a whole picture; more make files that few programs open
const NOTE = 30; // height of the line that says what is left out

/**
 * The whole picture as it is now: { name, width, height, colours, draw }. Of too many lines it is the part that is on
 * the screen, `shown`, and says so. One token alone, `focus`, has few lines.
 */
export function savedPicture(scene, { layer, focus, pinned, shown, measure, most = MOST_SAVED }) {
  const { layout, planes, colours, drawn } = scene;
  const cut = !focus && drawn > most;
  const part = cut ? shown : { top: 0, height: layout.height };
  const draw = (painter) => {
    drawStrokes(painter, focus ? focusStrokes(scene, part, focus) : strokes(scene, part), scene, part);
    if (focus) drawWeights(painter, scene, part, focus);
    drawFrames(painter, scene, part, pinned, null);
    drawTokens(painter, scene, part, measure);
    if (!cut) return;
    const middle = { colour: colours.muted, size: 14, align: "center" };
    painter.text(layout.width / 2, part.height + NOTE / 2, noteOf(scene, part), middle);
  };
  const heads = planes.map(({ head }) => (head === MEAN ? "mean" : `H${head}`)).join("-") || "none";
  const name = `attention-L${layer}-${heads}${cut ? "-part" : ""}`;
  return { name, width: layout.width, height: part.height + (cut ? NOTE : 0), colours, draw };
}

function noteOf({ layout, drawn, numbers }, part) {
  const [queries, keys] = [0, 1].map((side) => {
    const units = [...visibleUnits(layout, side, part)];
    const [from, to] = layout.ranges[side];
    return `${numbers[units[0]]}–${numbers[units.at(-1)]} of ${to - from}`;
  });
  return `Queries ${queries}, keys ${keys}: all ${drawn.toLocaleString("en")} lines are too many for one picture.`;
}
