// @ts-check
// A registry of the views' pictures, for saving or printing several of them.
/** @import { Picture } from "./types.mjs" */

/** @type {WeakMap<Element, () => Picture | null>} */
const PICTURES = new WeakMap();

/** @param {Element} root of a view @param {() => Picture | null} picture */
export function registerPicture(root, picture) {
  PICTURES.set(root, picture);
}

/** The picture that a view shows now, or null. @param {Element} root of the view */
export function pictureOf(root) {
  return PICTURES.get(root)?.() ?? null;
}
