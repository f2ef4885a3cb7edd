// Labels of a typed text in charts, as `viz/figures/axes.py`, `matrix.py` and `labels.py` lay them out.
import { rangeOf, runsFromRight } from "./characters.mjs";
import { shortened } from "./templates.mjs";
/** @import { AxisLayout } from "../contents.mjs" */
/** @import { CharacterRange } from "./characters.mjs" */

const ENTITIES = new Map(Object.entries({ "&": "&amp;", "<": "&lt;", ">": "&gt;", $: "&#36;", "%": "&#37;" }));

/**
 * What the charts of a text need to know of its tokens.
 * @param {string[]} labels @param {readonly CharacterRange[]} ranges @param {AxisLayout} layout
 */
export function axisOf(labels, ranges, layout) {
  const { limit, font, room, largest, bar_width: longest, bar_share: share, left } = layout;
  const short = labels.map((label) => shortened(label, limit));
  const width = font * Math.max(...short.map((label) => emsOf(label, ranges)));
  const ticks = short.map((label) => plotlyText(label, ranges));
  const hovers = labels.map((label, position) => `<b>${plotlyText(label, ranges)}</b> · position ${position}`);
  const count = labels.length;
  const cell = Math.min(largest, room / count);
  const bars = labelsOf(width, room / count, layout);
  const axis = { labels, ticks, hovers, places: [...labels.keys()], range: [-0.5, count - 0.5] };
  const map = { ...labelsOf(width, cell, layout), bar: Math.min(longest, share * cell * count) };
  const aliases = aliasesOf(ticks, hovers, layout);
  return { ...axis, aliases, map, bars: { ...bars, left: bars.angle === -45 ? Math.max(left, bars.height) : left } };
}

/** The labels below or above columns of a width: their angle, height and overhang, and which columns have one. @param {number} width @param {number} cell @param {AxisLayout} layout */
function labelsOf(width, cell, { font, edge, smallest, slanted, named_every: between }) {
  const step = cell >= smallest ? 1 : Math.ceil(between / cell);
  const named = step === 1 ? "token" : `every ${{ 2: "2nd", 3: "3rd" }[step] ?? `${step}th`} token`;
  if (width <= cell - 5) return { angle: 0, height: font + 8, right: edge, step, named };
  if (cell < slanted) return { angle: -90, height: width + 10, right: edge, step, named };
  const height = 0.71 * (width + font);
  return { angle: -45, height: height + 8, right: Math.max(edge, height - cell / 2), step, named };
}

/** @param {string[]} ticks @param {string[]} hovers @param {AxisLayout} layout */
function aliasesOf(ticks, hovers, { all_named: most }) {
  const between = ticks.length > most ? [2, 4, 5, 6, 8] : [];
  return Object.fromEntries([
    ...ticks.map((tick, place) => [place, tick]),
    ...hovers.map((hover, place) => [`+${place}`, hover]),
    ...ticks.flatMap((_, place) => between.map((tenth) => [`${place}.${tenth}`, ""])),
  ]);
}

/**
 * Words side by side in lines, from the side where their first letter has them begin.
 * @param {string[]} labels @param {readonly CharacterRange[]} ranges
 * @param {Record<"limit" | "size" | "least" | "padding" | "gap" | "room" | "pitch", number>} box
 */
export function boxesOf(labels, ranges, { limit, size, least, padding, gap, room, pitch }) {
  let [top, left] = [0, 0];
  const letter = /\p{L}/u.exec(labels.join(""))?.[0];
  const isFromRight = letter !== undefined && rangeOf(letter, ranges)[4];
  return labels.map((name, place) => {
    const short = shortened(name, limit);
    const width = Math.max(size * emsOf(short, ranges), least) + padding;
    if (left > 0 && left + width > room) [top, left] = [top + pitch, 0];
    const begin = isFromRight ? room - left - width : left;
    const ends = { left: begin, right: begin + width, middle: begin + width / 2 };
    const box = { place, top, ...ends, label: plotlyText(short, ranges) };
    left += width + gap;
    return { ...box, hover: `<b>${plotlyText(name, ranges)}</b> · ${place}<br>` };
  });
}

/** A label for Plotly: escaped, and isolated if it ranges from right to left. @param {string} label @param {readonly CharacterRange[]} ranges */
function plotlyText(label, ranges) {
  const escaped = Array.from(label, (character) => ENTITIES.get(character) ?? character).join("");
  return runsFromRight(label, ranges) ? `\u2066${escaped}\u2069` : escaped;
}

/** The width of a label in em. @param {string} label @param {readonly CharacterRange[]} ranges */
function emsOf(label, ranges) {
  return Array.from(label).reduce((sum, character) => sum + rangeOf(character, ranges)[3], 0);
}
