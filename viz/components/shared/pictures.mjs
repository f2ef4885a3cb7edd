// @ts-check
// The pictures on the page, by the elements of their views, for whoever saves or prints several of them.
/** @import { Picture } from "./types.mjs" */

/** @type {WeakMap<Element, () => Picture | null>} */
const PICTURES = new WeakMap();

/**
 * @param {Element} root of a view
 * @param {() => Picture | null} picture
 */
export function registerPicture(root, picture) {
  PICTURES.set(root, picture);
}

/**
 * What a view shows now, or null where it shows nothing.
 * @param {Element} root of the view
 */
export function pictureOf(root) {
  return PICTURES.get(root)?.() ?? null;
}
