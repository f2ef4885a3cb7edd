// Renders routes through a painter: the residual stream, lines, tokens and the output.
import { fitted } from "../shared/text.mjs";
import { placeOf } from "./scene.mjs";
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Colours, Painter } from "../shared/types.mjs" */
/** @import { Layout, Line, RouteExtras } from "./scene.mjs" */

const SIZE = 14; // pixels of labels
const WIDEST = 9; // pixels of the strongest line
const [LEAST_ALPHA, MOST_ALPHA] = [0.12, 0.35]; // of the weakest line: where there are many, they fade
const TURN = -60; // degrees
const LONGEST = 92; // pixels of a turned label

/**
 * @typedef {object} Scene
 * @property {RouteExtras} extras
 * @property {Layout} layout
 * @property {readonly Line[]} lines the strongest first
 * @property {readonly number[][]} segments of the lines
 * @property {Colours & { muted: string, lowers: string, raises: string }} colours
 */

/**
 * @param {Painter} painter @param {Scene} scene @param {Measure} measure of labels
 * @param {ReadonlySet<Line> | null} focus the lines that are not faint; null for all
 */
export function drawRoutes(painter, scene, measure, focus) {
  drawStream(painter, scene);
  drawLines(painter, scene, focus);
  drawLabels(painter, scene, measure);
}

/** @param {Painter} painter @param {Scene} scene */
function drawStream(painter, { extras, layout, colours }) {
  const top = layout.states - 1;
  const segments = extras.labels.flatMap((_, unit) => {
    const [from, to] = [placeOf(layout, 0, unit), placeOf(layout, top, unit)];
    return [from.x, from.y, to.x, to.y];
  });
  painter.lines(segments, { colour: colours.muted, alpha: 0.25, width: 1 });
  for (let state = 0; state <= top; state++) {
    for (const unit of extras.labels.keys()) {
      const { x, y } = placeOf(layout, state, unit);
      painter.rect(x - 1.5, y - 1.5, 3, 3, { fill: colours.muted, alpha: 0.5 });
    }
  }
}

/** @param {Painter} painter @param {Scene} scene @param {ReadonlySet<Line> | null} focus */
function drawLines(painter, { lines, segments, colours }, focus) {
  const largest = Math.abs(lines[0]?.value ?? 0) || 1;
  const least = Math.max(LEAST_ALPHA, Math.min(MOST_ALPHA, 50 / lines.length));
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index];
    const share = Math.abs(line.value) / largest;
    const isFaint = focus !== null && !focus.has(line);
    painter.lines(segments[index], {
      colour: line.value < 0 ? colours.lowers : colours.raises,
      alpha: isFaint ? 0.08 : least + 0.6 * share,
      width: Math.max(1, WIDEST * share),
    });
  }
}

/** @param {Painter} painter @param {Scene} scene @param {Measure} measure */
function drawLabels(painter, { extras, layout, colours }, measure) {
  const top = layout.states - 1;
  for (let layer = 0; layer < top; layer++) {
    const y = placeOf(layout, layer, 0).y - layout.row / 2;
    painter.text(0, y, `L${layer}`, { colour: colours.muted, size: SIZE });
  }
  for (const [unit, label] of extras.labels.entries()) {
    const { x, y } = placeOf(layout, 0, unit);
    const colour = extras.special[unit] ? colours.muted : colours.text;
    if (layout.isTurned) {
      const text = fitted(label, LONGEST, measure);
      painter.turned(x, y + 12, TURN, () => painter.text(0, 0, text, { colour, size: SIZE, align: "end" }));
    } else {
      painter.text(x, y + 16, label, { colour, size: SIZE, align: "center" });
    }
  }
  for (const unit of extras.read) {
    const { x, y } = placeOf(layout, extras.state, unit);
    painter.rect(x - 4, y - 4, 8, 8, { stroke: colours.primary, lineWidth: 2 });
  }
  const [first, last] = [extras.read[0], extras.read[extras.read.length - 1]];
  if (first === undefined) return;
  const { x: from, y } = placeOf(layout, extras.state, first);
  const middle = (from + placeOf(layout, extras.state, last).x) / 2;
  const half = measure(extras.name) / 2 + 4;
  const x = Math.max(half, Math.min(layout.width - half, middle));
  painter.text(x, y - 18, extras.name, { colour: colours.text, size: SIZE, align: "center", weight: 600 });
}

/** A line that is pinned or pointed at. @param {Painter} painter @param {Scene} scene @param {Line} line */
export function drawMarked(painter, { lines, segments, colours }, line) {
  const index = lines.indexOf(line);
  if (index < 0) return;
  const [x1, y1, x2, y2] = segments[index];
  painter.lines(segments[index], { colour: colours.text, width: 1.5 });
  for (const [x, y] of [
    [x1, y1],
    [x2, y2],
  ]) {
    painter.rect(x - 4, y - 4, 8, 8, { stroke: colours.text, lineWidth: 1.5 });
  }
}
