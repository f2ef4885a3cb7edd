// @ts-check
// Draws a head view through a painter, all but the lines: tokens, weights and frames.
import { weightOf } from "../shared/message.mjs";
import { fitted } from "../shared/text.mjs";
import { HEADER, NUMBER, unitAt } from "./layout.mjs";
import { meanWeights } from "./lines.mjs";
import { written } from "./words.mjs";
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Painter, TextStyle } from "../shared/types.mjs" */
/** @import { Layout, Part, Token } from "./layout.mjs" */
/** @import { Side } from "./lines.mjs" */
/** @import { Scene } from "./scene.mjs" */

/** @type {readonly Side[]} */
const SIDES = [0, 1];
const TITLE = 15; // pixels of the title's font
const BOLD = 1.1; // as wide as the measured, plain one
const GAP = 16; // pixels that the title keeps from the names of the sides; where there are fewer, it stands alone

/** @param {string} title @param {Layout} layout @param {Measure} measure of the labels' font */
const titleWidth = (title, { font }, measure) => (measure(title) * BOLD * TITLE) / font;

/**
 * Tokens, what the sides are, and which sentence the tokens belong to.
 * @param {Painter} painter
 * @param {Scene} scene
 * @param {Part} part
 * @param {Measure} measure
 */
export function drawTokens(painter, scene, part, measure) {
  const { layout, labels, special, until, colours, bStart, title } = scene;
  const middle = HEADER / 2 - 2;
  /** @type {TextStyle} */
  const muted = { colour: colours.muted, size: 14 };
  if (titleWidth(title, layout, measure) <= layout.labels[1] - layout.labels[0] - GAP) {
    painter.text(layout.labels[0], middle, "from (query)", { ...muted, align: "end" });
    painter.text(layout.labels[1], middle, "to (key)", muted);
  }
  painter.text(layout.width / 2, middle, title, { colour: colours.text, size: TITLE, align: "center", weight: 600 });
  painter.clip(0, HEADER, layout.width, part.height - HEADER, () => {
    for (const side of SIDES) {
      if (bStart !== null) drawSentences(painter, scene, part, side, bStart);
      for (const unit of visibleUnits(layout, side, part)) {
        const text = fitted(labels[unit], layout.label, measure);
        painter.text(layout.labels[side], layout.ys[side][unit] - part.top, text, {
          colour: special[unit] || unit >= until ? colours.muted : colours.text,
          size: layout.font,
          align: side === 0 ? "end" : "start",
        });
      }
    }
  });
}

/**
 * Units of a side whose rows the part shows, or those of them that are in a range.
 * @param {Layout} layout
 * @param {Side} side
 * @param {Part} part
 */
export function* visibleUnits(layout, side, { top, height }, [from, to] = layout.ranges[side]) {
  if (to === from) return;
  const first = unitAt(layout, side, Math.max(top + HEADER, layout.ys[side][from]));
  for (let unit = Math.max(first, from); unit < to && layout.ys[side][unit] - layout.row / 2 < top + height; unit++) {
    yield unit;
  }
}

/**
 * A strip beside the tokens of each sentence, with its letter where it begins or enters the part.
 * @param {Painter} painter
 * @param {Scene} scene
 * @param {Part} part
 * @param {Side} side
 * @param {number} bStart
 */
function drawSentences(painter, { layout, letters, colours }, { top }, side, bStart) {
  const { ys, ranges, row, strips, strip } = layout;
  const [from, to] = ranges[side];
  const sentences = [
    [from, Math.min(bStart, to)],
    [Math.max(bStart, from), to],
  ];
  for (const [sentence, [first, end]] of sentences.entries()) {
    if (end <= first) continue;
    const [start, stop] = [ys[side][first] - row / 2 + 2 - top, ys[side][end - 1] + row / 2 - 2 - top];
    const colour = colours.sentences[sentence];
    painter.rect(strips[side], start, strip, stop - start, { fill: colour, alpha: 0.16 });
    painter.rect(side === 0 ? strips[0] + strip - 3 : strips[1], start, 3, stop - start, { fill: colour });
    const y = Math.min(Math.max(start, HEADER) + row / 2 - 2, stop - 8);
    const x = strips[side] + (side === 0 ? strip - 3 : strip + 3) / 2;
    painter.text(x, y, letters[sentence], { colour: colours.text, size: 14, align: "center", weight: 700 });
  }
}

/**
 * A token's weights beside the tokens of the other side, as numbers and a bar for every head.
 * @param {Painter} painter
 * @param {Scene} scene
 * @param {Part} part
 * @param {Token} token
 */
export function drawWeights(painter, scene, part, { side, unit }) {
  const { planes, layout, ranges, size, colours } = scene;
  if (!planes.length) return;
  const other = side === 0 ? 1 : 0;
  const values = planes.map((plane) => plane.values);
  const means = meanWeights(values, size, side, unit, ranges[other]);
  const tint = planes.length === 1 ? planes[0].colour : colours.primary;
  painter.clip(0, HEADER, layout.width, part.height - HEADER, () => {
    for (const counterpart of visibleUnits(layout, other, part, ranges[other])) {
      const y = layout.ys[other][counterpart] - part.top;
      drawNumber(painter, scene, other, y, means[counterpart - ranges[other][0]], tint);
      const cell = side === 0 ? unit * size + counterpart : counterpart * size + unit;
      if (layout.bar) drawBars(painter, scene, other, y, cell);
    }
  });
}

/**
 * A weight beside a token, and its tint behind the token.
 * @param {Painter} painter
 * @param {Scene} scene
 * @param {Side} side
 * @param {number} y
 * @param {number} weight or another number, as a share of the largest one
 * @param {string} tint
 */
function drawNumber(painter, { layout, size, colours, quantity }, side, y, weight, tint) {
  const { row, gutters, labels, label } = layout;
  const x = side === 0 ? labels[0] - label - 4 : labels[1] - 4;
  painter.rect(x, y - row / 2 + 1, label + 8, row - 2, { fill: tint, alpha: 0.45 * Math.sqrt(weight) });
  const number = written(weight, size, quantity);
  const colour = number === "0" ? colours.muted : colours.text;
  const align = side === 0 ? "end" : "start";
  painter.text(gutters[side], y, number, { colour, align, size: 14, weight: weight >= 0.1 ? 600 : 400 });
}

/**
 * A bar for the weight of each head.
 * @param {Painter} painter
 * @param {Scene} scene
 * @param {Side} side
 * @param {number} y
 * @param {number} cell
 */
function drawBars(painter, { planes, layout }, side, y, cell) {
  const { row, gutters, bar } = layout;
  const start = side === 0 ? gutters[0] - NUMBER - bar * planes.length : gutters[1] + NUMBER;
  for (const [index, { colour, values }] of planes.entries()) {
    const height = Math.sqrt(weightOf(values[cell])) * (row - 6);
    if (height < 0.5) continue;
    painter.rect(start + index * bar, y + row / 2 - 3 - height, bar - 1 || 1, height, { fill: colour });
  }
}

/**
 * Frames around tokens that are pinned or current.
 * @param {Painter} painter
 * @param {Scene} scene
 * @param {Part} part
 * @param {readonly Token[]} pinned
 * @param {Token | null} current
 */
export function drawFrames(painter, { layout, colours }, { top, height }, pinned, current) {
  /** @type {(token: Token, lineWidth: number) => void} */
  const frame = ({ side, unit }, lineWidth) => {
    const x = side === 0 ? layout.labels[0] - layout.label - 5 : layout.labels[1] - 5;
    const y = layout.ys[side][unit] - layout.row / 2 + 1 - top;
    const [width, down] = [layout.label + 10, layout.row - 2];
    painter.rect(x, y, width, down, { fill: colours.primary, alpha: 0.14 });
    painter.rect(x, y, width, down, { stroke: colours.primary, lineWidth });
  };
  painter.clip(0, HEADER, layout.width, height - HEADER, () => {
    for (const token of pinned) frame(token, 2.5);
    if (current) frame(current, 1.5);
  });
}
