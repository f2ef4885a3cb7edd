// What Python wrote of each character (`viz/site/characters.py`).

/** @typedef {readonly [first: number, read: string | null, role: string, em: number, right: boolean, part: string]} CharacterRange characters that are alike */

/** @param {string} character @param {readonly CharacterRange[]} ranges in ascending order */
export function rangeOf(character, ranges) {
  const code = /** @type {number} */ (character.codePointAt(0));
  let [from, to] = [0, ranges.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (ranges[middle][0] <= code) from = middle;
    else to = middle;
  }
  return ranges[from];
}

/** Whether a text has letters that run from right to left. @param {string} text @param {readonly CharacterRange[]} ranges */
export function runsFromRight(text, ranges) {
  return Array.from(text).some((character) => rangeOf(character, ranges)[4]);
}

/** A text that others surround, as `isolated` in `viz/wording/labels.py`. @param {string} text @param {readonly CharacterRange[]} ranges */
export function isolated(text, ranges) {
  return runsFromRight(text, ranges) ? `\u2068${text}\u2069` : text;
}
