// @ts-check
// A scene with colours, places and names that fit: all that a picture depends on.
import { fitted, textMeasures } from "../shared/text.mjs";
import { LABEL, layoutOf } from "./layout.mjs";
/** @import { Measure } from "../shared/text.mjs" */
/** @import { Colours } from "../shared/types.mjs" */
/** @import { Layout } from "./layout.mjs" */
/** @import { Scene } from "./scene.mjs" */

/**
 * @typedef {{ colours: Colours, accent: string, muted: string, shades: string[] }} Style
 */

/**
 * A scene with its style and its texts' widths.
 * @typedef {object} Texts
 * @property {(size: number, weight?: number) => Measure} measure
 * @property {number} widestLabel
 * @typedef {Scene & Style & Texts} Typeset
 */

/**
 * A typeset scene with its places; names are cut when they are drawn, and kept.
 * @typedef {Typeset & { layout: Layout, names: Map<number, string> }} Drawing
 */

/**
 * @param {Scene} scene
 * @param {Style} style
 * @param {CanvasRenderingContext2D} context that measures texts
 * @param {Typeset | null} before whose measures are kept while head and font stay
 * @returns {Typeset}
 */
export function typeset(scene, style, context, before) {
  const measure = textMeasures(context, style.colours.font);
  const isSame = before?.head === scene.head && before.colours.font === style.colours.font;
  const widestLabel = isSame ? before.widestLabel : Math.max(0, ...scene.head.labels.map(measure(LABEL.size, 700)));
  return { ...scene, ...style, measure, widestLabel };
}

/** @param {Typeset} scene @param {{ width: number, left: number, ratio?: number }} page @returns {Drawing} */
export function laidOut(scene, { width, left, ratio = 1 }) {
  const layout = layoutOf({ width, dimensions: scene.head.width, widestLabel: scene.widestLabel, left, ratio });
  return { ...scene, layout, names: new Map() };
}

/**
 * A token's name as far as there is room for it.
 * @param {Drawing} drawing
 * @param {number} position
 */
export function nameOf({ names, head, layout, measure }, position) {
  const known = names.get(position);
  if (known !== undefined) return known;
  const name = fitted(head.labels[position], layout.label, measure(LABEL.size, 700));
  names.set(position, name);
  return name;
}
