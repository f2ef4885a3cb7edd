// @ts-check
// Whether a key press is text input rather than a shortcut of the page.

const FIELDS =
  "input:not([type=checkbox]), textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=spinbutton]";

/** Whether the event comes from a text field, also inside a view's shadow root. @param {Event} event */
export function isTyped(event) {
  return event.composedPath().some((node) => node instanceof Element && node.matches(FIELDS));
}
