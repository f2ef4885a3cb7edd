// @ts-check
// Who gets a key: what has the focus, or the stage. A click of the mouse never takes the keys away from the stage.
import { isTyped } from "../shared/typed.mjs";

const CHOICES = "[role=radio], [role=slider], [role=option], [role=tab]";
const PRESSED = `button, a[href], summary, ${CHOICES}`;

/**
 * Whether a key belongs to what has the focus: everything that is typed, arrow keys, Home and End within a choice, and
 * Space and Enter on what they press.
 * @param {KeyboardEvent} event
 */
export function isAnsweredElsewhere(event) {
  if (isTyped(event)) return true;
  const [target] = event.composedPath();
  if (!(target instanceof Element)) return false;
  if (event.key === " " || event.key === "Enter") return target.matches(PRESSED);
  return /^(Arrow|Home$|End$)/u.test(event.key) && target.matches(CHOICES);
}

/** Take the focus from whatever has it, unless somebody types there. */
export function releaseFocus() {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (focused instanceof HTMLElement && !focused.matches("input, textarea, select, dialog *")) focused.blur();
}
