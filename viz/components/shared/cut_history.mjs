// What was cut before each change of the cut links, for Ctrl+Z. All views of the page share it.

const MOST = 100; // changes

class CutHistory {
  #texts = "";
  #shown = "";
  /** @type {string[]} */
  #before = [];

  /**
   * Note the links that are cut; other texts begin anew.
   * @param {string} texts of the page; "" before they are known @param {string} shown
   */
  note(texts, shown) {
    if (this.#texts && texts !== this.#texts) this.#before = [];
    else if (shown !== this.#shown) this.#before = [...this.#before, this.#shown].slice(-MOST);
    [this.#texts, this.#shown] = [texts, shown];
  }

  /** The links before the last change, or null if there was none. */
  undo() {
    const before = this.#before.pop() ?? null;
    if (before !== null) this.#shown = before;
    return before;
  }
}

export const CUT_HISTORY = new CutHistory();

/** Whether a key undoes a change, and not of a text that is edited. @param {KeyboardEvent} event */
export function isUndo(event) {
  const [target] = event.composedPath();
  const isTyping =
    target instanceof HTMLElement && target.matches("textarea, input:not([type=range]), [contenteditable]");
  return (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z" && !isTyping;
}
