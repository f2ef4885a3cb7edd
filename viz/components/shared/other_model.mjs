// A picture of another model than the page's: it shows the nearest layer and head that its model has, and the same words.
import { NOTHING } from "./selection.mjs";
/** @import { Selection } from "./types.mjs" */

const POINTED = "headlight:pointed"; // at a cell: an event of the window

/**
 * What a picture of another model follows.
 * @typedef {object} Follows
 * @property {number} layers of its model
 * @property {number} heads of its model
 * @property {readonly number[]} tokens for each token of the page's model, its counterpart or NOTHING
 * @property {readonly [layer: number, head: number]} shown in the page's model
 * @property {readonly [layer: number, head: number]} wanted what was chosen, if the page's model does not have it
 */

/** @typedef {Pick<Selection, "query" | "key">} Tokens */

/**
 * The page's selection as the other model shows it.
 * @param {Follows} follows @param {Selection} selection @returns {Selection}
 */
export function selectionOfModel({ layers, heads, tokens, shown, wanted }, selection) {
  const isSubstitute = selection.layer === shown[0] && selection.head === shown[1];
  const [layer, head] = isSubstitute ? wanted : [selection.layer, selection.head];
  return {
    ...selection,
    ...tokensOfModel({ tokens }, selection),
    layer: Math.min(layer, layers - 1),
    head: Math.min(head, heads - 1), // the mean is -1
    scale: selection.scale === "largest" ? "auto" : selection.scale, // pictures of several models have one scale
  };
}

/**
 * The other model's tokens for tokens of the page's model; NOTHING where there is no counterpart.
 * @param {Pick<Follows, "tokens">} follows @param {Tokens} ofPage @returns {Tokens}
 */
export function tokensOfModel({ tokens }, { query, key }) {
  return { query: tokens[query] ?? NOTHING, key: tokens[key] ?? NOTHING };
}

/**
 * The page's tokens for tokens of the other model; NOTHING where there is no counterpart.
 * @param {Pick<Follows, "tokens">} follows @param {Tokens} ofModel @returns {Tokens}
 */
export function tokensOfPage({ tokens }, { query, key }) {
  /** @param {number} token */
  const onPage = (token) => (token === NOTHING ? NOTHING : tokens.indexOf(token));
  return { query: onPage(query), key: onPage(key) };
}

/**
 * Notify the pictures of other models that the pointer is at a cell. The tokens are those of the page's model; null
 * where the pointer is at none.
 * @param {object} picture @param {Tokens | null} tokens
 */
export function notePointer(picture, tokens) {
  window.dispatchEvent(new CustomEvent(POINTED, { detail: { picture, tokens } }));
}

/**
 * Call back where the pointer is at a cell of another picture.
 * @param {object} picture @param {(tokens: Tokens | null) => void} callback
 * @param {AbortSignal} signal unsubscribes
 */
export function followPointer(picture, callback, signal) {
  /** @param {Event} event */
  const listener = (event) => {
    const { detail } = /** @type {CustomEvent<{ picture: object, tokens: Tokens | null }>} */ (event);
    if (detail.picture !== picture) callback(detail.tokens);
  };
  window.addEventListener(POINTED, listener, { signal });
}
