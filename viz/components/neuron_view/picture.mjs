// Draws the neuron view through a painter. A scene is all that a picture depends on; see `sceneOf` in scene.mjs, and view.mjs for the
// colours, places and names that it adds.
import { fitted } from "../shared/page.mjs";
import { ramp } from "../shared/paint.mjs";
import { dimensionsBySize, weightText, written } from "./maths.mjs";

export const ROW = 28;
export const HEADING = 100; // height of everything above the rows
const BAND = { top: 4, height: 17 };
const MARK = { top: 23, height: 3 };
const MARKED = 3; // products of each row
const GAP = { label: 10, bands: 14, bar: 8 };
const NUMBER = { dot: 54, score: 52, weight: 60 };
export const LABEL = { least: 64, most: 170, size: 16 };
const CELL = { readable: 4, most: 16 };
const SHADES = 255; // odd, so that one of them is zero's
const BAR = { least: 24, wanted: 84, most: 160 };

/** Where everything stands in `width` pixels: { left, cell, label, key, product, dot, score, weight, bar, right }. */
export function layoutOf({ width, dimensions, widestLabel, left = 0, ratio = 1 }) {
  const numbers = NUMBER.dot + NUMBER.score + NUMBER.weight + GAP.bar + BAR.least;
  const room = width - left - numbers - GAP.label - GAP.bands;
  const wanted = Math.min(Math.max(Math.ceil(widestLabel), LABEL.least), LABEL.most);
  const label = Math.max(LABEL.least, Math.min(wanted, room - 2 * dimensions * CELL.readable));
  const snapped = (pixels) => Math.floor(pixels * ratio) / ratio; // whole pixels of the screen: no seams
  const cellIn = (pixels) => Math.max(1, Math.min(CELL.most, snapped(pixels / (2 * dimensions))));
  const besideBar = cellIn(room - label - (BAR.wanted - BAR.least));
  const cell = besideBar >= CELL.readable ? besideBar : cellIn(room - label);
  const key = snapped(left + label + GAP.label);
  const product = snapped(key + cell * dimensions + GAP.bands);
  const dot = product + cell * dimensions + NUMBER.dot;
  const score = dot + NUMBER.score;
  const weight = score + NUMBER.weight;
  const bar = weight + GAP.bar;
  const right = bar + Math.min(BAR.most, Math.max(BAR.least, width - bar));
  return { left, cell, dimensions, label, key, product, dot, score, weight, bar, right };
}

/** The place in the dimensions' order that lies under x, or null. */
export function columnAt(layout, x) {
  for (const start of [layout.key, layout.product]) {
    const column = Math.floor((x - start) / layout.cell);
    if (column >= 0 && column < layout.dimensions) return column;
  }
  return null;
}

/** A diverging scale as "#rrggbb" strings, which canvases read fastest. */
export function shadesOf(diverging) {
  const hex = (channel) => channel.toString(16).padStart(2, "0");
  return ramp(diverging, SHADES).map((channels) => `#${channels.map(hex).join("")}`);
}

/** Colours from negative to positive with zero in the middle. */
export function colourOf(colours, value, limit) {
  const share = Math.min(1, Math.max(-1, value / limit));
  return colours[Math.round(((share + 1) / 2) * (colours.length - 1))];
}

function band(painter, scene, x, y, height, valueAt, limit) {
  const {
    layout: { cell },
    dimensions,
    scale,
    colours,
  } = scene;
  dimensions.forEach((dimension, column) => {
    painter.rect(x + column * cell, y, cell, height, { fill: colourOf(scale, valueAt(dimension), limit) });
  });
  painter.rect(x - 0.5, y - 0.5, dimensions.length * cell + 1, height + 1, { stroke: colours.border });
}

/** A frame around one dimension, in both bands. */
function column(painter, { lit, dimensions, layout, colours }, top, bottom, starts) {
  const at = dimensions.indexOf(lit.dimension);
  if (at < 0) return;
  for (const start of starts) {
    const x = start + at * layout.cell;
    painter.rect(x - 1, top, layout.cell + 2, bottom - top, { stroke: colours.text, lineWidth: 1.5 });
  }
}

function legend(painter, scene, y, name, limit) {
  const {
    layout: { product, right },
    scale,
    colours,
    muted,
  } = scene;
  const bar = product + 116;
  const cells = 64;
  const step = Math.min(2, (right - bar - 56) / cells);
  painter.text(product, y, name, { colour: muted, size: 14 });
  painter.text(bar - 6, y, `≤ ${written(-limit, 1)}`, { colour: muted, size: 14, align: "end" });
  for (let cell = 0; cell < cells; cell++) {
    const fill = colourOf(scale, (2 * cell) / (cells - 1) - 1, 1);
    painter.rect(bar + cell * step, y - 6, step, 12, { fill });
  }
  painter.rect(bar - 0.5, y - 6.5, cells * step + 1, 13, { stroke: colours.border });
  painter.text(bar + cells * step + 6, y, `≥ ${written(limit, 1)}`, { colour: muted, size: 14 });
}

function dimensionNumbers(painter, { layout, dimensions, sortedBy, head, muted, measure }, y) {
  const style = { colour: muted, size: 13 };
  if (sortedBy !== null) {
    const text = `largest |q × k| of ${head.labels[sortedBy]} first`;
    painter.text(layout.key, y, fitted(text, layout.cell * dimensions.length, measure(13)), style);
    return;
  }
  const every = [4, 8, 16, 32, 64, 128].find((step) => step * layout.cell >= 32) ?? 256;
  dimensions.forEach((dimension) => {
    if (dimension % every) return;
    painter.text(layout.key + (dimension + 0.5) * layout.cell, y, String(dimension), { ...style, align: "center" });
  });
}

/** The query, the legend and the headings, `HEADING` high. */
export function drawHeading(painter, scene, top = 0) {
  const { layout, head, query, limits, colours, muted, measure } = scene;
  const { left, label, key, product, dot, score, weight, right } = layout;
  const small = { colour: muted, size: 15 };
  painter.text(left, top + 12, "query", small);
  dimensionNumbers(painter, scene, top + 12);
  const name = fitted(head.labels[query], label, measure(LABEL.size, 700));
  painter.text(left, top + 38, name, { colour: colours.text, size: LABEL.size, weight: 700 });
  const { width } = head;
  band(painter, scene, key, top + 26, 24, (dimension) => head.query[query * width + dimension], limits.vectors);
  legend(painter, scene, top + 18, "q, k", limits.vectors);
  legend(painter, scene, top + 41, "q × k", limits.products);
  const y = top + 80;
  painter.text(left, y, "key", small);
  painter.text(key, y, "k", small);
  painter.text(product, y, "q × k", small);
  painter.text(dot, y, "q · k", { ...small, align: "end" });
  painter.text(score, y, "score", { ...small, align: "end" });
  painter.text(weight, y, scene.renormalised ? "renorm." : "weight", { ...small, align: "end" });
  painter.lines([left, top + 96, right, top + 96], { colour: colours.border });
  column(painter, scene, top + 25, top + 51, [key]);
}

/** A token's name as far as it fits, kept with the scene. */
function nameOf({ names, head, layout, measure }, key) {
  if (!names.has(key)) names.set(key, fitted(head.labels[key], layout.label, measure(LABEL.size, 700)));
  return names.get(key);
}

/** The dimensions of a row's largest products, kept with the scene. */
function marksOf({ marks, result, head }, key) {
  if (!marks.has(key)) marks.set(key, dimensionsBySize(result.products, key, head.width).slice(0, MARKED));
  return marks.get(key);
}

function row(painter, scene, key, y) {
  const { layout, head, result, shares, limits, lit, pinned, colours, muted, accent } = scene;
  const { left, right, bar } = layout;
  const { width } = head;
  const strong = key === pinned || key === (lit.key ?? scene.first); // the formula speaks of it, or it is pinned
  if (strong) painter.rect(left - 2, y, right - left + 2, ROW, { fill: colours.raised });
  if (key === pinned) painter.rect(left - 6, y, 4, ROW, { fill: colours.primary });
  const label = { colour: head.special[key] ? muted : colours.text, size: LABEL.size, weight: strong ? 700 : 400 };
  painter.text(left, y + ROW / 2, nameOf(scene, key), label);
  const at = key * width;
  band(painter, scene, layout.key, y + BAND.top, BAND.height, (d) => head.key[at + d], limits.vectors);
  band(painter, scene, layout.product, y + BAND.top, BAND.height, (d) => result.products[at + d], limits.products);
  for (const dimension of marksOf(scene, key)) {
    const x = layout.product + scene.dimensions.indexOf(dimension) * layout.cell;
    painter.rect(x, y + MARK.top, Math.max(2, layout.cell), MARK.height, { fill: colours.text });
  }
  const number = { colour: colours.text, size: 15, align: "end", weight: strong ? 600 : 400 };
  painter.text(layout.dot, y + ROW / 2, written(result.dots[key]), number);
  painter.text(layout.score, y + ROW / 2, written(result.scores[key]), number);
  painter.text(layout.weight, y + ROW / 2, weightText(shares[key]), number);
  painter.rect(bar, y + 7, right - bar, ROW - 14, { fill: accent, alpha: 0.15 });
  painter.rect(bar, y + 7, (right - bar) * Math.min(1, shares[key]), ROW - 14, { fill: accent });
}

/** The rows `first` to `last`, the first of them at `top`. */
export function drawRows(painter, scene, first, last, top) {
  const { rows, head, layout, colours } = scene;
  rows.slice(first, last).forEach((key, index) => row(painter, scene, key, top + index * ROW));
  const start = scene.byWeight ? -1 : rows.findIndex((key) => head.b_start !== null && key >= head.b_start);
  if (start > first && start < last) {
    const y = top + (start - first) * ROW;
    painter.lines([layout.left, y, layout.right, y], { colour: colours.border });
  }
  column(painter, scene, top, top + (last - first) * ROW, [layout.key, layout.product]);
}
