// Which token is shown alone, and how keys and clicks move it. A token is { side, unit }; side 0 looks, side 1 is
// looked at. `ranges` are the units of both sides that exist.
import { unitOf } from "../shared/units.mjs";

/** The pointer beats the keys, and both beat what is pinned. */
export function focusOf(hovered, cursor, pinned) {
  return hovered ?? cursor ?? pinned;
}

/** Whether two are the same token, or both none. */
export function sameToken(one, other) {
  return one?.side === other?.side && one?.unit === other?.unit;
}

/** The tokens that the selection pins, the query first; those that are not shown are left out. */
export function pinnedTokens({ query, key }, positions, ranges) {
  return [query, key]
    .map((position, side) => ({ side, unit: unitOf(positions, position) }))
    .filter(({ side, unit }) => unit >= ranges[side][0] && unit < ranges[side][1]);
}

/** The change that pins a token, or that releases it if it is pinned. */
export function pinChange(token, pinned, positions) {
  const none = { query: -1, key: -1 };
  if (pinned.some((one) => sameToken(one, token))) return none;
  return { ...none, [token.side === 0 ? "query" : "key"]: positions[token.unit][0] };
}

/** Where a key moves the current token, or null if it is not ours or goes nowhere. `page` is the rows of a screen. */
export function movedBy(key, { side, unit }, ranges, page) {
  const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -Infinity, End: Infinity };
  const sides = { ArrowLeft: 0, ArrowRight: 1 };
  if (!Object.hasOwn(steps, key) && !Object.hasOwn(sides, key)) return null;
  const to = sides[key] ?? side;
  const [from, end] = ranges[to];
  if (from === end) return null;
  return { side: to, unit: Math.min(Math.max(unit + (steps[key] ?? 0), from), end - 1) };
}
