// @ts-check
// The choice of the colours' scale, which stands over their legend.
import { element } from "../shared/elements.mjs";
import { SCALES, scaleName } from "./scale.mjs";
/** @import { Quantity } from "../shared/quantity.mjs" */
/** @import { ScaleChoice } from "../shared/types.mjs" */

/** @param {(choice: ScaleChoice) => void} choose called when a scale is chosen */
export function scaleSelect(choose) {
  const select = element("select", "tool scale");
  select.setAttribute("aria-label", "Scale of the colours");
  select.title = "What the colours of the numbers show; the numbers stay as they are";
  for (const choice of SCALES) {
    const option = element("option");
    option.value = choice;
    select.append(option);
  }
  select.addEventListener("change", () => choose(/** @type {ScaleChoice} */ (select.value)));
  return select;
}

/**
 * Show what is chosen for a text.
 * @param {HTMLSelectElement} select
 * @param {ScaleChoice} choice
 * @param {number} count of units in the text
 * @param {Quantity} quantity
 */
export function showScale(select, choice, count, quantity) {
  select.value = choice;
  for (const option of select.options) {
    const name = scaleName(/** @type {ScaleChoice} */ (option.value), count, quantity);
    if (option.text !== name) option.text = name; // an open list closes where an option is written anew
  }
}
