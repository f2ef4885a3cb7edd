// What Python wrote of each character (`viz/site/characters.py`).

/** @typedef {readonly [first: number, read: string | null, role: string, em: number, right: boolean]} Run of characters that are alike */

/** @param {string} character @param {readonly Run[]} runs in ascending order */
export function runOf(character, runs) {
  const code = /** @type {number} */ (character.codePointAt(0));
  let [from, to] = [0, runs.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (runs[middle][0] <= code) from = middle;
    else to = middle;
  }
  return runs[from];
}
