// Renders the neuron view and its saved picture through a painter.
import { hexOf, ramp } from "../shared/colour.mjs";
import { drawRing } from "../shared/points.mjs";
import { clamped } from "../shared/ranges.mjs";
import { headName } from "../shared/selection.mjs";
import { fitted, textMeasures } from "../shared/text.mjs";
import { HEADING, LABEL, ROW, layoutOf } from "./layout.mjs";
import { dimensionsBySize } from "./maths.mjs";
import { formulaOf, pointedAt, weightText, written } from "./scene.mjs";
/** @import { Measure } from "../shared/text.mjs" */
/** @import { ColourScale, Colours, Painter, Picture, TextStyle } from "../shared/types.mjs" */
/** @import { Layout } from "./layout.mjs" */
/** @import { Scene } from "./scene.mjs" */

/**
 * @typedef {{ colours: Colours, accent: string, muted: string, shades: string[] }} Style
 */

/**
 * A scene with its style and its texts' widths.
 * @typedef {object} Texts
 * @property {(size: number, weight?: number) => Measure} measure
 * @property {number} widestLabel
 * @typedef {Scene & Style & Texts} Typeset
 */

/**
 * A typeset scene with its layout; fitted names are cached.
 * @typedef {Typeset & { layout: Layout, names: Map<number, string> }} Drawing
 */

/**
 * @param {Scene} scene @param {Style} style
 * @param {CanvasRenderingContext2D} context that measures texts
 * @param {Typeset | null} before reused while head and font are the same
 * @returns {Typeset}
 */
export function typeset(scene, style, context, before) {
  const measure = textMeasures(context, style.colours.font);
  const isSame = before?.head === scene.head && before.colours.font === style.colours.font;
  const widestLabel = isSame ? before.widestLabel : Math.max(0, ...scene.head.labels.map(measure(LABEL.size, 700)));
  return { ...scene, ...style, measure, widestLabel };
}

/** @param {Typeset} scene @param {{ width: number, left: number, ratio?: number }} page @returns {Drawing} */
export function laidOut(scene, { width, left, ratio = 1 }) {
  const layout = layoutOf({ width, dimensions: scene.head.width, widestLabel: scene.widestLabel, left, ratio });
  return { ...scene, layout, names: new Map() };
}

/** A token's name cut to its column. @param {Drawing} drawing @param {number} position */
function nameOf({ names, head, layout, measure }, position) {
  const known = names.get(position);
  if (known !== undefined) return known;
  const name = fitted(head.labels[position], layout.label, measure(LABEL.size, 700));
  names.set(position, name);
  return name;
}

const QUERY = { top: 27, height: 22 }; // the query's name in the heading
const INSIDE = 4; // pixels from the edges of a row, so that rings of neighbours stay apart

/** The query's name. @param {Painter} painter @param {Drawing} drawing @param {number} top of the heading */
function ringQuery(painter, { layout: { left, label }, query, pointed, colours }, top) {
  if (!pointed.queries.has(query)) return;
  drawRing(painter, { x: left, y: top + QUERY.top, width: label, height: QUERY.height }, colours);
}

/**
 * The name of a key, or its whole row.
 * @param {Painter} painter @param {Drawing} drawing @param {number} key
 * @param {number} y of its row
 */
function ringKey(painter, { layout: { left, label, right }, pointed, colours }, key, y) {
  const box = { x: left, y: y + INSIDE, height: ROW - 2 * INSIDE };
  if (pointed.keys.has(key)) drawRing(painter, { ...box, width: label }, colours);
  if (pointed.rows.has(key)) drawRing(painter, { ...box, width: right - left - INSIDE }, colours);
}

const BAND = { top: 4, height: 17 };
const MARK = { top: 23, height: 3 };
const MARKED = 3; // products of each row
const SHADES = 255; // odd, so that zero has a shade
const LEGEND_CELLS = 64;
const NUMBER_PITCH = 32; // pixels from one dimension's number to the next

/**
 * The hovered or focused key and dimension.
 * @typedef {{ key: number | null, dimension: number | null }} Lit
 */

/** @type {Lit} */
export const UNLIT = { key: null, dimension: null };

/** The colours of a diverging scale, from negative to positive. @param {ColourScale} diverging */
export function shadesOf(diverging) {
  return ramp(diverging, SHADES).map(hexOf);
}

/**
 * The colour of a value; zero has the middle colour.
 * @param {readonly string[]} shades from negative to positive
 * @param {number} value
 * @param {number} limit that has the last colour
 */
export function colourOf(shades, value, limit) {
  const share = clamped(value / limit, -1, 1);
  return shades[Math.round(((share + 1) / 2) * (shades.length - 1))];
}

/**
 * A row of cells, one for each dimension.
 * @param {Painter} painter @param {Drawing} drawing @param {number} x @param {number} y @param {number} height
 * @param {ArrayLike<number>} values
 * @param {number} start the index of the first dimension's value
 * @param {number} limit
 */
function drawBand(painter, drawing, x, y, height, values, start, limit) {
  const { dimensions, shades, colours } = drawing;
  const { cell } = drawing.layout;
  dimensions.forEach((dimension, column) => {
    const fill = colourOf(shades, values[start + dimension], limit);
    painter.rect(x + column * cell, y, cell, height, { fill });
  });
  painter.rect(x - 0.5, y - 0.5, dimensions.length * cell + 1, height + 1, { stroke: colours.border });
}

/**
 * A frame around the lit dimension in the bands that start at `starts`.
 * @param {Painter} painter @param {Drawing} drawing @param {Lit} lit @param {number} top @param {number} bottom
 * @param {readonly number[]} starts
 */
function drawLitDimension(painter, { dimensions, layout, colours }, lit, top, bottom, starts) {
  const column = lit.dimension === null ? -1 : dimensions.indexOf(lit.dimension);
  if (column < 0) return;
  for (const start of starts) {
    const x = start + column * layout.cell;
    painter.rect(x - 1, top, layout.cell + 2, bottom - top, { stroke: colours.text, lineWidth: 1.5 });
  }
}

/**
 * A colour bar with its name and its ends.
 * @param {Painter} painter @param {Drawing} drawing @param {number} y @param {string} name @param {number} limit
 */
function drawLegend(painter, { layout, shades, colours, muted }, y, name, limit) {
  const { product, right } = layout;
  const bar = product + 116;
  const step = Math.min(2, (right - bar - 56) / LEGEND_CELLS);
  painter.text(product, y, name, { colour: muted, size: 14 });
  painter.text(bar - 6, y, `≤ ${written(-limit, 1)}`, { colour: muted, size: 14, align: "end" });
  for (let cell = 0; cell < LEGEND_CELLS; cell++) {
    const fill = colourOf(shades, (2 * cell) / (LEGEND_CELLS - 1) - 1, 1);
    painter.rect(bar + cell * step, y - 6, step, 12, { fill });
  }
  painter.rect(bar - 0.5, y - 6.5, LEGEND_CELLS * step + 1, 13, { stroke: colours.border });
  painter.text(bar + LEGEND_CELLS * step + 6, y, `≥ ${written(limit, 1)}`, { colour: muted, size: 14 });
}

/**
 * Numbers of the dimensions, or their sort order.
 * @param {Painter} painter @param {Drawing} drawing @param {number} y
 */
function drawDimensionNumbers(painter, { layout, dimensions, sortedBy, head, muted, measure }, y) {
  /** @type {TextStyle} */
  const style = { colour: muted, size: 13 };
  if (sortedBy !== null) {
    const text = `largest |q × k| of ${head.labels[sortedBy]} first`;
    painter.text(layout.key, y, fitted(text, layout.cell * dimensions.length, measure(13)), style);
    return;
  }
  const every = [4, 8, 16, 32, 64, 128].find((step) => step * layout.cell >= NUMBER_PITCH) ?? 256;
  for (const dimension of dimensions) {
    if (dimension % every) continue;
    painter.text(layout.key + (dimension + 0.5) * layout.cell, y, String(dimension), { ...style, align: "center" });
  }
}

/**
 * The query, the legends and the headings, `HEADING` high.
 * @param {Painter} painter @param {Drawing} drawing @param {Lit} lit @param {number} top
 */
export function drawHeading(painter, drawing, lit, top = 0) {
  const { layout, head, query, limits, colours, muted } = drawing;
  const { left, key, product, dot, score, weight, right } = layout;
  /** @type {TextStyle} */
  const small = { colour: muted, size: 15 };
  painter.text(left, top + 12, "query", small);
  drawDimensionNumbers(painter, drawing, top + 12);
  const name = { colour: colours.text, size: LABEL.size, weight: 700 };
  painter.text(left, top + 38, nameOf(drawing, query), name);
  drawBand(painter, drawing, key, top + 26, 24, head.query, query * head.width, limits.vectors);
  drawLegend(painter, drawing, top + 18, "q, k", limits.vectors);
  drawLegend(painter, drawing, top + 41, "q × k", limits.products);
  const y = top + 80;
  painter.text(left, y, "key", small);
  painter.text(key, y, "k", small);
  painter.text(product, y, "q × k", small);
  painter.text(dot, y, "q · k", { ...small, align: "end" });
  painter.text(score, y, "score", { ...small, align: "end" });
  painter.text(weight, y, drawing.renormalised ? "renorm." : "weight", { ...small, align: "end" });
  painter.lines([left, top + 96, right, top + 96], { colour: colours.border });
  drawLitDimension(painter, drawing, lit, top + 25, top + 51, [key]);
  ringQuery(painter, drawing, top);
}

/** The dimensions of a row's largest products, cached in the scene. @param {Drawing} drawing @param {number} key */
function marksOf({ marks, attended, head }, key) {
  const known = marks.get(key);
  if (known) return known;
  const largest = dimensionsBySize(attended.products, key, head.width).slice(0, MARKED);
  marks.set(key, largest);
  return largest;
}

/** @param {Painter} painter @param {Drawing} drawing @param {Lit} lit @param {number} key @param {number} y */
function drawRow(painter, drawing, lit, key, y) {
  const { layout, head, attended, limits, pinned, colours, muted } = drawing;
  const { left, right } = layout;
  const isStrong = key === pinned || key === (lit.key ?? drawing.first); // pinned, or in the formula
  if (isStrong) painter.rect(left - 2, y, right - left + 2, ROW, { fill: colours.raised });
  if (key === pinned) painter.rect(left - 6, y, 4, ROW, { fill: colours.primary });
  const label = { colour: head.special[key] ? muted : colours.text, size: LABEL.size, weight: isStrong ? 700 : 400 };
  painter.text(left, y + ROW / 2, nameOf(drawing, key), label);
  const start = key * head.width;
  drawBand(painter, drawing, layout.key, y + BAND.top, BAND.height, head.key, start, limits.vectors);
  drawBand(painter, drawing, layout.product, y + BAND.top, BAND.height, attended.products, start, limits.products);
  for (const dimension of marksOf(drawing, key)) {
    const x = layout.product + drawing.dimensions.indexOf(dimension) * layout.cell;
    painter.rect(x, y + MARK.top, Math.max(2, layout.cell), MARK.height, { fill: colours.text });
  }
  drawNumbers(painter, drawing, key, y, isStrong ? 600 : 400);
}

/**
 * Dot product, score and weight of a key, and its bar.
 * @param {Painter} painter @param {Drawing} drawing @param {number} key @param {number} y
 * @param {number} weight of the text
 */
function drawNumbers(painter, { layout, attended, shares, colours, accent }, key, y, weight) {
  /** @type {TextStyle} */
  const style = { colour: colours.text, size: 15, align: "end", weight };
  painter.text(layout.dot, y + ROW / 2, written(attended.dots[key]), style);
  painter.text(layout.score, y + ROW / 2, written(attended.scores[key]), style);
  painter.text(layout.weight, y + ROW / 2, weightText(shares[key]), style);
  const width = layout.right - layout.bar;
  painter.rect(layout.bar, y + 7, width, ROW - 14, { fill: accent, alpha: 0.15 });
  painter.rect(layout.bar, y + 7, width * Math.min(1, shares[key]), ROW - 14, { fill: accent });
}

/**
 * Some of the rows.
 * @param {Painter} painter @param {Drawing} drawing @param {Lit} lit
 * @param {number} first of the rows
 * @param {number} end the row before which it ends
 * @param {number} top of the first one
 */
export function drawRows(painter, drawing, lit, first, end, top) {
  const { rows, head, layout, colours } = drawing;
  rows.slice(first, end).forEach((key, index) => drawRow(painter, drawing, lit, key, top + index * ROW));
  const { b_start: bStart } = head;
  const divide = drawing.byWeight || bStart === null ? -1 : rows.findIndex((key) => key >= bStart);
  if (divide > first && divide < end) {
    const y = top + (divide - first) * ROW;
    painter.lines([layout.left, y, layout.right, y], { colour: colours.border });
  }
  drawLitDimension(painter, drawing, lit, top, top + (end - first) * ROW, [layout.key, layout.product]);
  rows.slice(first, end).forEach((key, index) => ringKey(painter, drawing, key, top + index * ROW));
}

const MARGIN = 16;
const FORMULA = 72; // height of the formula

/**
 * All of a scene, with the formula above it, and without a tour's rings.
 * @param {Typeset} scene @param {number} width @returns {Picture}
 */
export function savedPicture(scene, width) {
  const drawing = laidOut({ ...scene, pointed: pointedAt([], scene.query) }, { width: width + MARGIN, left: MARGIN });
  const { colours, muted, query, first, rows, head, measure, layout } = drawing;
  const { rule, rest, numbers, from, to } = formulaOf(scene, first);
  /**
   *
   * @type {(painter: Painter, y: number, text: string, style: { colour: string, size: number, weight: number }) => void}
   */
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
