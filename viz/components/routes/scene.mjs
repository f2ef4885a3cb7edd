// What the routes are at a number of kept links: lines between units, their places, and the lines upstream of a token.
import { weightOf } from "../shared/message.mjs";
import { MEAN } from "../shared/selection.mjs";
/** @import { Message, Selection, Tensor, UnitExtras } from "../shared/types.mjs" */

/**
 * The strongest links of a text as flat indices (layer, head, query, key), with what each contributes and its weight,
 * and the output with the first of them alone. See `viz/payloads/routes.py`.
 * @typedef {{ links: Tensor<Int32Array>, values: Tensor<Float32Array>, weights: Tensor<Uint16Array> }} RouteTensors
 * @typedef {UnitExtras & {
 *   shape: [layers: number, heads: number, tokens: number], counts: number[], kept: number[],
 *   opens: number, total: number, name: string, unit: string, adds: string, read: number[], state: number,
 * }} RouteExtras
 * @typedef {Message<RouteTensors, RouteExtras>} RoutesMessage
 *
 * @typedef {object} Line the kept links between two units in a head, or in all heads of a layer
 * @property {number} layer
 * @property {number} head MEAN for all
 * @property {number} query
 * @property {number} key
 * @property {number} value the sum of their contributions
 * @property {number} weight of the first link
 * @property {readonly [query: number, key: number]} tokens of the first link
 * @property {number} links their number
 */

/**
 * The lines of the strongest links, the strongest line first.
 * @param {RoutesMessage} message @param {number} count of links @param {boolean} isSummed whether over a layer's heads
 * @returns {Line[]}
 */
export function linesOf({ tensors, extras }, count, isSummed) {
  const { links, values, weights } = tensors;
  const [, heads, tokens] = extras.shape;
  const unitOf = new Map(extras.positions.flatMap((own, unit) => own.map((token) => [token, unit])));
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (let index = 0; index < Math.min(count, links.values.length); index++) {
    const flat = links.values[index];
    const [queryToken, keyToken] = [Math.floor(flat / tokens) % tokens, flat % tokens];
    const head = Math.floor(flat / (tokens * tokens)) % heads;
    const layer = Math.floor(flat / (tokens * tokens * heads));
    const place = { layer, head: isSummed ? MEAN : head };
    const [query, key] = [unitOf.get(queryToken) ?? 0, unitOf.get(keyToken) ?? 0];
    const name = [place.layer, place.head, query, key].join();
    const line = lines.get(name);
    if (line) {
      line.value += values.values[index];
      line.links += 1;
    } else {
      const [value, weight] = [values.values[index], weightOf(weights.values[index])];
      lines.set(name, { ...place, query, key, value, weight, tokens: [queryToken, keyToken], links: 1 });
    }
  }
  return [...lines.values()].sort((one, other) => Math.abs(other.value) - Math.abs(one.value));
}

/**
 * The lines that lead to a token's state, through other lines and the residual stream.
 * @param {readonly Line[]} lines @param {number} state layers below it @param {number} unit
 */
export function upstreamOf(lines, state, unit) {
  const found = new Set();
  const reached = new Set([unit]);
  for (let layer = state - 1; layer >= 0; layer--) {
    const own = lines.filter((line) => line.layer === layer && reached.has(line.query));
    for (const line of own) {
      found.add(line);
      reached.add(line.key);
    }
  }
  return /** @type {Set<Line>} */ (found);
}

const GUTTER = 46; // pixels left of the tokens, for the names of the layers
const TOP = 34; // pixels for the output
const ROWS = { least: 30, most: 58 };
const LEAST_COLUMN = 13;
const LABELS = { level: 28, turned: 86 }; // pixels below the picture
const APART = 4; // pixels between lines of the same units

/**
 * @typedef {object} Layout
 * @property {number} width @property {number} height
 * @property {number} left @property {number} column pixels of a unit
 * @property {number} row pixels of a layer
 * @property {number} states the number of rows of states
 * @property {boolean} isTurned whether the labels are
 */

/** The height of the picture on the page, below the words and widgets above it. @param {number} windowHeight */
export function roomOnPage(windowHeight) {
  return 0.42 * windowHeight;
}

/**
 * @param {number} width of the page's column @param {number} room pixels of height
 * @param {number} units @param {number} layers @param {number} label pixels of the widest label @returns {Layout}
 */
export function layoutOf(width, room, units, layers, label) {
  const column = Math.max((width - GUTTER) / units, LEAST_COLUMN);
  const isTurned = label + 8 > column;
  const below = isTurned ? LABELS.turned : LABELS.level;
  const row = Math.max(ROWS.least, Math.min(ROWS.most, (room - TOP - below) / layers));
  const height = TOP + row * layers + below;
  return { width: GUTTER + column * units, height, left: GUTTER, column, row, states: layers + 1, isTurned };
}

/** The place of a unit's state. @param {Layout} layout @param {number} state @param {number} unit */
export function placeOf({ left, column, row, states }, state, unit) {
  return { x: left + (unit + 0.5) * column, y: TOP + (states - 1 - state) * row };
}

/**
 * The ends of each line: x1, y1 below, x2, y2 above. Lines of the same units in a layer are next to each other, and those
 * of a token to itself next to its residual stream.
 * @param {Layout} layout @param {readonly Line[]} lines @returns {number[][]}
 */
export function segmentsOf(layout, lines) {
  /** @type {Map<string, number>} */
  const before = new Map();
  return lines.map(({ layer, query, key }) => {
    const name = [layer, query, key].join();
    const index = before.get(name) ?? 0;
    before.set(name, index + 1);
    const place = index + (query === key ? 1 : 0);
    const shift = Math.ceil(place / 2) * (place % 2 ? 1 : -1) * Math.min(APART, layout.column / 6);
    const [from, to] = [placeOf(layout, layer, key), placeOf(layout, layer + 1, query)];
    return [from.x + shift, from.y, to.x + shift, to.y];
  });
}

const REACH = 5; // pixels around a line or a state

/**
 * The line at a point, the nearest; null if there is none.
 * @param {readonly Line[]} lines @param {readonly number[][]} segments @param {number} x @param {number} y
 */
export function lineAt(lines, segments, x, y) {
  let [best, least] = [/** @type {Line | null} */ (null), REACH];
  for (const [index, segment] of segments.entries()) {
    const distance = distanceTo(segment, x, y);
    if (distance < least) [best, least] = [lines[index], distance];
  }
  return best;
}

/** @param {readonly number[]} segment @param {number} x @param {number} y */
function distanceTo([x1, y1, x2, y2], x, y) {
  const [across, down] = [x2 - x1, y2 - y1];
  const share = Math.max(0, Math.min(1, ((x - x1) * across + (y - y1) * down) / (across ** 2 + down ** 2)));
  return Math.hypot(x - x1 - share * across, y - y1 - share * down);
}

/**
 * The state at a point; below and above the picture that of the whole column. Null elsewhere.
 * @param {Layout} layout @param {number} units @param {number} x @param {number} y
 * @returns {{ state: number, unit: number } | null}
 */
export function stateAt(layout, units, x, y) {
  const unit = Math.floor((x - layout.left) / layout.column);
  if (unit < 0 || unit >= units) return null;
  const top = layout.states - 1;
  if (y > placeOf(layout, 0, unit).y + REACH || y < TOP - REACH) return { state: top, unit };
  const state = Math.max(0, Math.min(top, Math.round(top - (y - TOP) / layout.row)));
  const place = placeOf(layout, state, unit);
  return Math.hypot(place.x - x, place.y - y) <= REACH ? { state, unit } : null;
}

/** The place of a count among those whose output is known: the last that is not larger. @param {readonly number[]} counts @param {number} count */
export function placeOfCount(counts, count) {
  return Math.max(
    0,
    counts.findLastIndex((each) => each <= count),
  );
}

/**
 * The line that the page's selection names; null if it is not among those that are shown.
 * @param {readonly Line[]} lines @param {UnitExtras} extras @param {Pick<Selection, "layer" | "head" | "query" | "key">} selection
 */
export function pinnedLine(lines, { positions }, { layer, head, query, key }) {
  /** @param {number} unit @param {number} token */
  const holds = (unit, token) => positions[unit].includes(token);
  return (
    lines.find((line) => {
      return (
        line.layer === layer && [MEAN, head].includes(line.head) && holds(line.query, query) && holds(line.key, key)
      );
    }) ?? null
  );
}
