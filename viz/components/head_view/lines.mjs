// Which lines a head view draws. Weights are the store's, q = round(65535 · √w), so that q / 65535 is √w.
import { weightOf } from "../shared/blob.mjs";

export const MEAN = -1; // the "head" that stands for the mean over all heads
export const BUCKETS = 32; // steps of opacity: one stroke each is many times faster than one per line
const STEP = 65536 / BUCKETS;
export const FEW_HEADS = 3;
const SHORT_TEXT = 64; // units up to which every line that can be seen is drawn unless somebody chooses otherwise

/** What may be drawn: [value, name]. */
export const RULES = [
  ...["0.01", "0.02", "0.05", "0.1"].map((least) => [least, `weights ≥ ${least}`]),
  ...["1", "4", "8"].map((count) => [`top ${count}`, `top ${count} per row`]),
  ["every", "every line"],
];

export function usualRule(units) {
  return units <= SHORT_TEXT ? "0.01" : "top 4";
}

/** A rule's value as { top } or { least }, the smallest q drawn. */
export function parsedRule(rule) {
  if (rule.startsWith("top ")) return { top: Number(rule.slice(4)) };
  return { least: rule === "every" ? 0 : Math.round(65535 * Math.sqrt(Number(rule))) };
}

/** Heads to draw, from the selection: numbers, or [MEAN]. */
export function shownHeads({ head, heads }, count) {
  if (heads === "all") return Array.from({ length: count }, (_, index) => index);
  if (heads === "none") return [];
  return heads
    ? heads
        .split(".")
        .map(Number)
        .filter((index) => index < count)
    : [head];
}

/** The change that shows these heads; a head that is left alone becomes the page's head. */
export function headsChange(shown, count) {
  const heads = [...new Set(shown)].filter((head) => head !== MEAN).sort((one, other) => one - other);
  if (heads.length === 1) return { head: heads[0], heads: "" };
  if (heads.length === 0 || heads.length === count) return { heads: heads.length ? "all" : "none" };
  return { heads: heads.join(".") };
}

/** The change that adds a head to those shown, or takes it away. */
export function toggled(shown, head, count) {
  return headsChange(shown.includes(head) ? shown.filter((one) => one !== head) : [...shown, head], count);
}

/** Units on each side, as [from, to): all, or those of the sentences that "A→B" names. */
export function rangesOf(units, bStart, sentences) {
  if (sentences === "all" || bStart === null)
    return [
      [0, units],
      [0, units],
    ];
  return sentences.split("→").map((letter) => (letter === "A" ? [0, bStart] : [bStart, units]));
}

/** One head's weights out of a layer's, or their mean, in the same steps. */
export function planeOf({ shape: [count, size], values }, head) {
  const cells = size * size;
  if (head !== MEAN) return values.subarray(head * cells, (head + 1) * cells);
  const sums = new Float64Array(cells);
  for (let at = 0; at < values.length; at += cells) {
    for (let cell = 0; cell < cells; cell++) sums[cell] += values[at + cell] ** 2;
  }
  return Uint16Array.from(sums, (sum) => Math.round(Math.sqrt(sum / count)));
}

/** The columns of a row's largest weights, largest first, into `best`; returns how many. Zeros are none. */
export function strongestColumns(plane, row, [from, to], count, best) {
  let found = 0;
  for (let column = from; column < to; column++) {
    const weight = plane[row + column];
    if (weight === 0 || (found === count && weight <= plane[row + best[found - 1]])) continue;
    let place = found < count ? found++ : found - 1;
    for (; place > 0 && plane[row + best[place - 1]] < weight; place--) best[place] = best[place - 1];
    best[place] = column;
  }
  return found;
}

/** Cells (query · size + key) to draw, the strongest bucket first: bucket b's are cells[starts[b]] to [starts[b + 1]]. */
export function pickedCells(plane, size, [queries, keys], rule) {
  const { top, least } = parsedRule(rule);
  const found = new Uint32Array((queries[1] - queries[0]) * (top ? Math.min(top, keys[1]) : keys[1] - keys[0]));
  const best = new Uint32Array(top ?? 0);
  let count = 0;
  for (let query = queries[0]; query < queries[1]; query++) {
    const row = query * size;
    if (top) {
      const most = strongestColumns(plane, row, keys, top, best);
      for (let index = 0; index < most; index++) found[count++] = row + best[index];
    } else {
      for (let key = keys[0]; key < keys[1]; key++) if (plane[row + key] >= least) found[count++] = row + key;
    }
  }
  return byStrength(found.subarray(0, count), plane);
}

/** Which bucket a weight falls into, 0 the strongest. */
const bucketOf = (quantised) => BUCKETS - 1 - Math.floor(quantised / STEP);

/** √weight of the lines of a bucket, to half a step. */
export function rootOf(bucket) {
  return (BUCKETS - bucket - 0.5) / BUCKETS;
}

/** Opacity of those lines: √weight shows the faint ones of a few heads, but many heads would add up to a haze. */
export function opacityOf(bucket, heads) {
  return rootOf(bucket) ** (heads > FEW_HEADS ? 2 : 1);
}

/** Sort cells into buckets, a counting sort: { cells, starts }. */
export function byStrength(found, plane) {
  const starts = new Uint32Array(BUCKETS + 1);
  for (const cell of found) starts[bucketOf(plane[cell]) + 1]++;
  for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1] += starts[bucket];
  const cells = new Uint32Array(found.length);
  const next = starts.slice();
  for (const cell of found) cells[next[bucketOf(plane[cell])]++] = cell;
  return { cells, starts };
}

/** All cells of a token: what a query (side 0) gives, or a key (side 1) gets; `other` is the range of the other side. */
export function cellsOfToken(size, side, unit, [from, to]) {
  return Uint32Array.from({ length: to - from }, (_, index) =>
    side === 0 ? unit * size + from + index : (from + index) * size + unit,
  );
}

/** Weights of a token over the other side, as the mean of some planes: Float64Array over `other`. */
export function meanWeights(planes, size, side, unit, other) {
  const cells = cellsOfToken(size, side, unit, other);
  const share = 1 / Math.max(planes.length, 1);
  return Float64Array.from(cells, (cell) => planes.reduce((sum, plane) => sum + share * weightOf(plane[cell]), 0));
}

/** The largest of some weights, as [{ unit, weight }]; `from` is the unit of the first. */
export function largest(weights, count, from = 0) {
  return Array.from(weights, (weight, index) => ({ unit: from + index, weight }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, count);
}
