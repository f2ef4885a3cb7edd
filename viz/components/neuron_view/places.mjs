// Places and names of a scene, which depend on the width and the font, and the picture that is saved.
import { fitted } from "../shared/page.mjs";
import { HEADING, LABEL, ROW, drawHeading, drawRows, layoutOf } from "./picture.mjs";
import { formulaOf } from "./scene.mjs";

const MARGIN = 16; // around a saved picture
const FORMULA = 72; // height of the formula in it

/** Let a scene measure its texts with a canvas's context; what was measured for the scene `before` is kept. */
export function typeset(scene, context, before = null) {
  scene.measure =
    (size, weight = 400) =>
    (text) => {
      context.font = `${weight} ${size}px ${scene.colours.font}`;
      return context.measureText(text).width;
    };
  const { head, colours } = scene;
  const same = before?.head === head && before.colours?.font === colours.font && before.widestLabel;
  const measure = scene.measure(LABEL.size, 700);
  scene.widestLabel = same || head.labels.reduce((widest, label) => Math.max(widest, measure(label)), 0);
}

/** Give a scene its places. */
export function place(scene, { width, left, ratio = 1 }) {
  const { widestLabel, head } = scene;
  scene.layout = layoutOf({ width, dimensions: head.width, widestLabel, left, ratio });
  scene.names = new Map();
}

/** All of a scene as a picture, with the formula above it: { name, width, height, colours, draw }. */
export function savedPicture(scene, width, margin = MARGIN) {
  place(scene, { width: width + margin, left: margin });
  const { colours, muted, query, first, rows, head, measure, layout } = scene;
  const { rule, rest, numbers, from, to } = formulaOf(scene, first);
  const line = (painter, y, text, style) => {
    painter.text(margin, y, fitted(text, layout.right - margin, measure(style.size, style.weight)), style);
  };
  const draw = (painter) => {
    const name = `L${head.layer} H${head.head}`;
    line(painter, margin + 10, `${name}:  ${rule}.  ${rest}`, { colour: muted, size: 16, weight: 400 });
    const steps = `${from} → ${to}:  ${numbers.join(",  ")}`;
    line(painter, margin + 40, steps, { colour: colours.text, size: 18, weight: 600 });
    drawHeading(painter, scene, margin + FORMULA);
    drawRows(painter, scene, 0, rows.length, margin + FORMULA + HEADING);
  };
  return {
    name: `neuron-L${head.layer}-H${head.head}-query-${query}`,
    width: layout.right + margin,
    height: FORMULA + HEADING + rows.length * ROW + 2 * margin,
    colours,
    draw,
  };
}
