// Links that are cut or weakened: how the page's address writes them, which cells they are, and what a cell's card offers.
import { MEAN } from "../shared/selection.mjs";
/** @import { Selection } from "../shared/types.mjs" */

/**
 * What Python sends of the cut links: the letter of the view's run, and all links as the address writes them.
 * @typedef {{ run: string, shown: string }} Cuts
 * @typedef {{ query: readonly number[], key: readonly number[] }} Cell positions of the tokens of a cell's units
 * @typedef {{ layer?: number, head?: number }} Reach no layer stands for all of them, no head for all of the layer
 * @typedef {Cell & Reach & { percent?: number }} CutLink `percent` of its weight is left; none if it is cut
 */

const WRITTEN = /^([AB])([\d.]+)-([\d.]+)(?:@(\d+)(?:\.(\d+))?)?(?:x(\d+))?$/;
const LEFT = /x\d+$/;

/** The cut links of a run. @param {Cuts} cuts @returns {CutLink[]} */
export function cutsIn({ run, shown }) {
  return shown
    .split("_")
    .map((text) => WRITTEN.exec(text))
    .filter((found) => found?.[1] === run)
    .map((found) => {
      const [, , query, key, layer, head, percent] = /** @type {RegExpExecArray} */ (found);
      const place = { ...(layer && { layer: Number(layer) }), ...(head && { head: Number(head) }) };
      const left = percent && { percent: Number(percent) };
      return { query: query.split(".").map(Number), key: key.split(".").map(Number), ...place, ...left };
    });
}

/** A link as the address writes it. @param {string} run @param {Cell & Reach} link */
function textOf(run, { query, key, layer, head }) {
  const place = layer === undefined ? "" : `@${[layer, ...(head === undefined ? [] : [head])].join(".")}`;
  return `${run}${query.join(".")}-${key.join(".")}${place}`;
}

/** What marks the cut cells. @param {Cuts} cuts */
export function nameOfCuts(cuts) {
  return cutsIn(cuts).some(({ percent }) => percent) ? "cut or weakened" : "cut";
}

/**
 * The cells of the shown head that are cut, as pairs of units.
 * @param {Cuts} cuts @param {readonly (readonly number[])[]} positions of the units' tokens
 * @param {Pick<Selection, "layer" | "head">} selection
 * @returns {[query: number, key: number][]}
 */
export function cutCells(cuts, positions, { layer, head }) {
  const isHere = (/** @type {Reach} */ link) => (link.layer ?? layer) === layer && (link.head ?? head) === head;
  /** @param {readonly number[]} tokens */
  const units = (tokens) =>
    positions.flatMap((own, unit) => (own.length && own.every((token) => tokens.includes(token)) ? [unit] : []));
  return cutsIn(cuts)
    .filter(isHere)
    .flatMap(({ query, key }) =>
      units(query).flatMap((row) => units(key).map((column) => /** @type {[number, number]} */ ([row, column]))),
    );
}

/**
 * What a cell's card offers to cut, each with the links that are cut then; what is cut already is not offered.
 * @param {Cuts} cuts @param {Cell} cell @param {Pick<Selection, "layer" | "head">} selection
 * @returns {{ label: string, cut: string }[]}
 */
export function offersOf({ run, shown }, cell, { layer, head }) {
  const before = shown.split("_").filter(Boolean);
  /** @type {{ label: string, reach: Reach }[]} */
  const offers = [
    ...(head === MEAN ? [] : [{ label: "here", reach: { layer, head } }]),
    { label: `in layer ${layer}`, reach: { layer } },
    { label: "everywhere", reach: {} },
  ];
  return offers
    .map(({ label, reach }) => ({ label, text: textOf(run, { ...cell, ...reach }) }))
    .filter(({ text }) => !before.includes(text))
    .map(({ label, text }) => ({ label, cut: withLink(before, text, 0) }));
}

/**
 * All cut links if of one of them so much is left.
 * @param {readonly string[]} before @param {string} text of the link @param {number} percent
 */
function withLink(before, text, percent) {
  const others = before.filter((each) => each && each.replace(LEFT, "") !== text);
  return [...others, ...(percent === 100 ? [] : [percent ? `${text}x${percent}` : text])].join("_");
}

/**
 * The weight of a cell's link in the shown head, or in the layer if that shows the mean: what is left of it in percent,
 * and all cut links for another number.
 * @param {Cuts} cuts @param {Cell} cell @param {Pick<Selection, "layer" | "head">} selection
 */
export function weightOfLink({ run, shown }, cell, { layer, head }) {
  const before = shown.split("_");
  const text = textOf(run, { ...cell, layer, ...(head !== MEAN && { head }) });
  const own = before.find((each) => each.replace(LEFT, "") === text);
  return {
    percent: own === undefined ? 100 : Number(/x(\d+)$/.exec(own)?.[1] ?? 0),
    /** @param {number} percent */
    cutAt: (percent) => withLink(before, text, percent),
  };
}
