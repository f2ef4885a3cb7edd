// @ts-check
// Whether a key belongs to what has the focus, and not to the page.

const FIELDS =
  "input:not([type=checkbox]), textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=spinbutton]";

/**
 * Whether somebody types in a field, which may lie within one of our own views.
 * @param {Event} event
 */
export function isTyped(event) {
  return event.composedPath().some((node) => node instanceof Element && node.matches(FIELDS));
}
