// Which token is focused, and how keys and clicks move the focus.
import { ENDS, HORIZONTAL, VERTICAL, movedWithin, pages } from "../shared/keys.mjs";
import { clamped, isIn, lengthOf, unitOf } from "../shared/ranges.mjs";
import { NOTHING } from "../shared/selection.mjs";
/** @import { Selection } from "../shared/types.mjs" */
/** @import { Token } from "./layout.mjs" */
/** @import { Ranges, Side } from "./lines.mjs" */

/** Whether two are the same token, or both none. @param {Token | null} one @param {Token | null} other */
export function sameToken(one, other) {
  return one?.side === other?.side && one?.unit === other?.unit;
}

/**
 * The selection's pinned tokens that are shown, the query first.
 * @param {Pick<Selection, "query" | "key">} selection
 * @param {readonly number[][]} positions of each unit's tokens
 * @param {Ranges} ranges
 */
export function pinnedTokens({ query, key }, positions, ranges) {
  /** @type {Token[]} */
  const tokens = [
    { side: 0, unit: unitOf(positions, query) },
    { side: 1, unit: unitOf(positions, key) },
  ];
  return tokens.filter(({ side, unit }) => isIn(ranges[side], unit));
}

/**
 * The change that toggles a token's pin.
 * @param {Token} token @param {readonly Token[]} pinned @param {readonly number[][]} positions
 */
export function pinChange(token, pinned, positions) {
  const none = { query: NOTHING, key: NOTHING };
  if (pinned.some((one) => sameToken(one, token))) return none;
  return { ...none, [token.side === 0 ? "query" : "key"]: positions[token.unit][0] };
}

/**
 * The token that a key moves to, or null.
 * @param {string} key @param {Token} token @param {Ranges} ranges
 * @param {number} page rows of a page
 * @returns {Token | null}
 */
export function movedToken(key, { side, unit }, ranges, page) {
  const moved = movedWithin(key, unit, ranges[side], { ...VERTICAL, ...pages(page), ...ENDS });
  const toSide = /** @type {Side | null} */ (movedWithin(key, side, [0, 2], HORIZONTAL));
  if (moved === null && toSide === null) return null;
  const target = toSide ?? side;
  const range = ranges[target];
  if (lengthOf(range) === 0) return null;
  return { side: target, unit: clamped(moved ?? unit, range[0], range[1] - 1) };
}
