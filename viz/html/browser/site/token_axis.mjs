// The axis of a typed text's tokens, as `viz/figures/axes.py` and `viz/figures/matrix.py` lay it out.

const [FONT, LIMIT, ROOM] = [14, 16, 640]; // pixels, characters of a label, pixels of all tokens together
const [LARGEST, SLANTED, SMALLEST, NAMED_EVERY] = [64, 28, 16, 18]; // pixels of a cell
const NAMED = 64; // tokens up to which each has a label
const EDGE = 4;
const ENTITIES = /** @type {Record<string, string>} */ ({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  $: "&#36;",
  "%": "&#37;",
});
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const NO_WIDTH = /[\p{Mn}\u200c\u200d]/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]/u;

/**
 * What the charts of a text need to know of its tokens.
 * @param {string[]} labels @param {Record<string, number>} widths of characters, in em
 */
export function axisOf(labels, widths) {
  const short = labels.map((label) => shortened(label, LIMIT));
  const width = FONT * Math.max(...short.map((label) => ems(label, widths)));
  const ticks = short.map(plotlyText);
  const hovers = labels.map((label, position) => `<b>${plotlyText(label)}</b> · position ${position}`);
  const count = labels.length;
  const cell = Math.min(LARGEST, ROOM / count);
  const bars = labelsOf(width, ROOM / count);
  return {
    ticks,
    hovers,
    places: [...labels.keys()],
    range: [-0.5, count - 0.5],
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

/** @param {string} label @param {number} limit */
export function shortened(label, limit) {
  const characters = Array.from(label);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : label;
}

/** A label for Plotly: escaped, and isolated if it runs from right to left. @param {string} label */
export function plotlyText(label) {
  const escaped = label.replace(/[&<>$%]/g, (character) => ENTITIES[character]);
  return RIGHT_TO_LEFT.test(label) ? `\u2066${escaped}\u2069` : escaped;
}

/** @param {string} label @param {Record<string, number>} widths */
export function ems(label, widths) {
  return Array.from(label).reduce((sum, character) => {
    if (Object.hasOwn(widths, character)) return sum + widths[character];
    if (NO_WIDTH.test(character)) return sum;
    if (WIDE.test(character)) return sum + 1.25;
    return sum + (/\p{Lowercase}/u.test(character) ? 0.56 : 0.66);
  }, 0);
}
