// @ts-check
// The choice of the colours' scale, which stands over their legend.
import { element } from "../shared/elements.mjs";
import { SCALES, automaticName } from "./scale.mjs";
/** @import { ScaleChoice } from "../shared/types.mjs" */

/** @param {(choice: ScaleChoice) => void} choose called when a scale is chosen */
export function scaleSelect(choose) {
  const select = element("select", "tool scale");
  select.setAttribute("aria-label", "Scale of the colours");
  select.title = "What the colours of the weights show; the numbers stay as they are";
  for (const [choice, name] of SCALES) {
    const option = element("option", "", name);
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
 */
export function showScale(select, choice, count) {
  select.value = choice;
  const automatic = select.options[0];
  const name = automaticName(count);
  if (automatic.text !== name) automatic.text = name; // an open list closes where an option is written anew
}
