// @ts-check
// What charts have in common: their frame, their legend, the names along their axes, and how numbers are written.
import { fixed } from "../../components/shared/numbers.mjs";
import { fitted } from "../../components/shared/text.mjs";
/** @import { Measure } from "../../components/shared/text.mjs" */
/** @import { Colours, DataTheme, Painter, Picture } from "../../components/shared/types.mjs" */
/** @import { Chart, Series } from "./slide_contents.mjs" */

export const [SIZE, SMALL, GAP, MARGIN] = [14, 12, 8, 12]; // pixels: of names, of ticks, between things, around all
export const MOST_NAME = 180; // pixels
export const STEEP = -60; // degrees by which long names of columns are turned
const LINE = 18; // pixels from one line of words to the next
const BOLD = 1.12; // width of a bold text over that of a plain one
const SWATCH = 26; // pixels of what stands before a name of the legend
const DASHES = { solid: [], dash: [9, 6], dot: [2, 5] };
const CORNERS = { circle: 16, square: 4, diamond: 4, triangle: 3, star: 10 };
const INNER = 0.45; // of a star's radius: its corners that lie inwards
const PREFIXES = ["", "k", "M", "G", "T", "P"]; // of thousands

/**
 * What a chart is drawn with.
 * @typedef {object} Setting
 * @property {DataTheme} theme
 * @property {Colours} colours
 * @property {Measure} measure of a text of SIZE pixels
 * @property {number} width that a chart has, and `height` that it should keep to, in pixels
 * @property {number} height
 * @property {boolean} ringed whether it shows what the stop points at
 */

/**
 * A chart that can be drawn and pointed at.
 * @typedef {Picture & { titleAt: (x: number, y: number) => string }} ChartPicture
 */

/**
 * A number as it is written; on logarithmic axes with three digits and the prefix of a unit.
 * @param {number | null} value
 * @param {Pick<Chart, "grid" | "percent"> & { logarithmic?: boolean }} chart
 */
export function written(value, { grid: { digits }, percent, logarithmic = false }) {
  if (value === null) return "−∞";
  if (logarithmic) return withPrefix(value);
  return percent ? `${fixed(100 * value, Math.max(digits - 2, 0))} %` : fixed(value, digits);
}

/** "589 k" or "1.24 T", of a number from 1 on. @param {number} value */
export function withPrefix(value) {
  const thousands = Math.min(Math.max(Math.floor(Math.log10(value) / 3 + 1e-9), 0), PREFIXES.length - 1);
  return `${Number((value / 1000 ** thousands).toPrecision(3))} ${PREFIXES[thousands]}`.trim();
}

/** @param {Series["colour"]} colour @param {Setting} setting */
export function seriesColour(colour, { theme, colours }) {
  if (typeof colour === "number") return theme.heads[colour % theme.heads.length];
  const ends = { A: theme.diverging[theme.diverging.length - 1][1], B: theme.diverging[0][1] };
  const named = { text: colours.text, muted: theme.muted, primary: colours.primary, ...ends };
  return named[colour];
}

/** @param {Series} series */
export const dashOf = ({ dash }) => DASHES[dash];

/**
 * The corners of a symbol around a point.
 * @param {Exclude<Series["symbol"], "">} symbol
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
export function symbolCorners(symbol, x, y, radius) {
  const count = CORNERS[symbol];
  const turn = { square: Math.PI / 4, triangle: -Math.PI / 2, star: -Math.PI / 2, circle: 0, diamond: 0 }[symbol];
  return Array.from({ length: count }, (_, corner) => {
    const angle = turn + (2 * Math.PI * corner) / count;
    const length = symbol === "star" && corner % 2 ? INNER * radius : radius;
    return [x + length * Math.cos(angle), y + length * Math.sin(angle)];
  }).flat();
}

/**
 * Round numbers within a range, about as many as there is room for.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
export function ticksBetween(low, high, most) {
  const rough = (high - low) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

/**
 * The numbers along an axis, with two digits behind the point, or as percent.
 * @param {readonly number[]} ticks
 * @param {Pick<Chart, "grid" | "percent">} chart
 */
export function tickTextsOf(ticks, { grid, percent }) {
  return ticks.map((tick) => written(tick, { grid: { ...grid, digits: 2 }, percent }));
}

/**
 * Words in lines of a width.
 * @param {string} text
 * @param {number} width
 * @param {Measure} measure
 */
export function linesOf(text, width, measure) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && measure(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitted(word, width, measure));
  }
  return lines;
}

/**
 * A chart's caption, the sentence below it and its legend, from the top of the picture.
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {{ name: string, mark: (painter: Painter, x: number, y: number, width: number) => void }[]} legend
 */
export function headOf({ grid: { caption }, said }, setting, legend) {
  const { colours, theme, measure, width } = setting;
  const captions = linesOf(caption, (width - 2 * MARGIN) / BOLD, measure);
  const sentences = said ? linesOf(said, width - 2 * MARGIN, measure) : [];
  const lines = captions.length + sentences.length;
  let [x, y] = [MARGIN, MARGIN + lines * LINE + LINE / 2 + (said ? GAP / 2 : 0)];
  const placed = legend.map(({ name, mark }) => {
    const text = fitted(name, width - 2 * MARGIN - SWATCH - GAP, measure);
    const wide = SWATCH + GAP + measure(text) + 2 * GAP;
    if (x > MARGIN && x + wide > width - MARGIN) [x, y] = [MARGIN, y + LINE];
    const place = { x, y, text, mark };
    x += wide;
    return place;
  });
  /** @param {Painter} painter */
  const draw = (painter) => {
    captions.forEach((line, index) => {
      painter.text(MARGIN, MARGIN + (index + 0.5) * LINE, line, { colour: colours.text, weight: 600 });
    });
    sentences.forEach((line, index) => {
      painter.text(MARGIN, MARGIN + (captions.length + index + 0.5) * LINE, line, { colour: theme.muted });
    });
    for (const { x: left, y: middle, text, mark } of placed) {
      mark(painter, left, middle, SWATCH);
      painter.text(left + SWATCH + GAP, middle, text, { colour: colours.text });
    }
  };
  return { bottom: (legend.length ? y + LINE / 2 : MARGIN + lines * LINE) + GAP, draw };
}

/**
 * Names below columns, as many as there is room for, with lines of notes and what they count.
 * @param {Chart} chart
 * @param {Setting} setting
 * @param {number} step pixels from one column to the next
 */
export function columnNamesOf({ grid: { columns }, notes, across }, { colours, theme, measure }, step) {
  const widest = Math.max(...columns.map(measure));
  const every = Math.max(1, Math.ceil((widest + GAP) / step));
  const lines = Math.max(0, ...notes.map((each) => each.length));
  const height = LINE * (1 + lines + (across ? 1 : 0)) + GAP;
  /** @param {Painter} painter @param {(column: number) => number} xOf @param {number} top @param {number} middle */
  const draw = (painter, xOf, top, middle) => {
    columns.forEach((name, column) => {
      if (column % every) return;
      const x = xOf(column);
      painter.text(x, top + GAP + LINE / 2, name, { colour: colours.text, align: "center" });
      (notes[column] ?? []).forEach((note, line) => {
        const y = top + GAP + (line + 1.5) * LINE;
        painter.text(x, y, note, { colour: theme.muted, align: "center", size: SMALL });
      });
    });
    const y = top + GAP + (lines + 1.5) * LINE;
    if (across) painter.text(middle, y, across, { colour: theme.muted, align: "center", size: SMALL + 1 });
  };
  return { height, draw };
}
