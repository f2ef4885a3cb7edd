// Labels of a typed text in charts, as `viz/figures/axes.py`, `matrix.py` and `labels.py` lay them out.
import { runOf } from "./characters.mjs";
import { shortened } from "./templates.mjs";
/** @import { Run } from "./characters.mjs" */

const [FONT, LIMIT, ROOM] = [14, 16, 640]; // pixels, characters of a label, pixels of all tokens together
const [LARGEST, SLANTED, SMALLEST, NAMED_EVERY] = [64, 28, 16, 18]; // pixels of a cell
const NAMED = 64; // tokens up to which each has a label
const EDGE = 4;
const ENTITIES = new Map(Object.entries({ "&": "&amp;", "<": "&lt;", ">": "&gt;", $: "&#36;", "%": "&#37;" }));

/** What the charts of a text need to know of its tokens. @param {string[]} labels @param {readonly Run[]} runs */
export function axisOf(labels, runs) {
  const short = labels.map((label) => shortened(label, LIMIT));
  const width = FONT * Math.max(...short.map((label) => emsOf(label, runs)));
  const ticks = short.map((label) => plotlyText(label, runs));
  const hovers = labels.map((label, position) => `<b>${plotlyText(label, runs)}</b> · position ${position}`);
  const count = labels.length;
  const cell = Math.min(LARGEST, ROOM / count);
  const bars = labelsOf(width, ROOM / count);
  return {
    ...{ labels, ticks, hovers, places: [...labels.keys()], range: [-0.5, count - 0.5] },
    aliases: aliasesOf(ticks, hovers),
    map: { ...labelsOf(width, cell), bar: Math.min(170, 0.6 * cell * count) },
    bars: { ...bars, left: bars.angle === -45 ? Math.max(60, bars.height) : 60 },
  };
}

/** The labels below or above columns of a width: their angle, height and overhang, and which columns have one. @param {number} width @param {number} cell */
function labelsOf(width, cell) {
  const step = cell >= SMALLEST ? 1 : Math.ceil(NAMED_EVERY / cell);
  const named = step === 1 ? "token" : `every ${{ 2: "2nd", 3: "3rd" }[step] ?? `${step}th`} token`;
  if (width <= cell - 5) return { angle: 0, height: FONT + 8, right: EDGE, step, named };
  if (cell < SLANTED) return { angle: -90, height: width + 10, right: EDGE, step, named };
  const height = 0.71 * (width + FONT);
  return { angle: -45, height: height + 8, right: Math.max(EDGE, height - cell / 2), step, named };
}

/** @param {string[]} ticks @param {string[]} hovers */
function aliasesOf(ticks, hovers) {
  const between = ticks.length > NAMED ? [2, 4, 5, 6, 8] : [];
  return Object.fromEntries([
    ...ticks.map((tick, place) => [place, tick]),
    ...hovers.map((hover, place) => [`+${place}`, hover]),
    ...ticks.flatMap((_, place) => between.map((tenth) => [`${place}.${tenth}`, ""])),
  ]);
}

/**
 * Words side by side in lines.
 * @param {string[]} labels @param {readonly Run[]} runs
 * @param {Record<"limit" | "size" | "least" | "padding" | "gap" | "room" | "pitch", number>} box
 */
export function boxesOf(labels, runs, { limit, size, least, padding, gap, room, pitch }) {
  let [top, left] = [0, 0];
  return labels.map((name, place) => {
    const short = shortened(name, limit);
    const width = Math.max(size * emsOf(short, runs), least) + padding;
    if (left > 0 && left + width > room) [top, left] = [top + pitch, 0];
    const box = { place, top, left, right: left + width, middle: left + width / 2, label: plotlyText(short, runs) };
    left += width + gap;
    return { ...box, hover: `<b>${plotlyText(name, runs)}</b> · ${place}<br>` };
  });
}

/** A label for Plotly: escaped, and isolated if it runs from right to left. @param {string} label @param {readonly Run[]} runs */
function plotlyText(label, runs) {
  const characters = Array.from(label);
  const escaped = characters.map((character) => ENTITIES.get(character) ?? character).join("");
  return characters.some((character) => runOf(character, runs)[4]) ? `\u2066${escaped}\u2069` : escaped;
}

/** The width of a label in em. @param {string} label @param {readonly Run[]} runs */
function emsOf(label, runs) {
  return Array.from(label).reduce((sum, character) => sum + runOf(character, runs)[3], 0);
}
