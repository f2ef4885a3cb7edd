// The elements of the token strip. Token text reaches the page through textContent only.
import { describe, element } from "../shared/elements.mjs";
import { LETTERS, directionOf, isLong, sentenceLetter, spokenName, tagOf, wordGroups } from "./words.mjs";
/** @import { StripData, Token } from "./words.mjs" */

/** @param {StripData} data */
export function chipList(data) {
  const list = element("div", "tokens scrolls");
  list.classList.toggle("long", isLong(data));
  list.classList.toggle("choosable", data.choose !== undefined);
  list.setAttribute("role", data.choose ? "listbox" : "list");
  const choice = data.choose ? ", Enter chooses a word" : "";
  list.setAttribute("aria-label", `${data.tokens.length} tokens; the arrow keys move between them${choice}`);
  list.dir = directionOf(data.words.join(" "));
  let last = "";
  for (const tokens of wordGroups(data.tokens)) {
    const letter = sentenceLetter(tokens[0].sentence, data.n_sentences);
    list.append(wordElement(tokens, data, letter === last ? "" : letter, list.dir === "rtl"));
    last = letter || last;
  }
  const first = chipsOf(list)[0];
  if (first) first.tabIndex = 0;
  return list;
}

/**
 * Update a list to match another. Words that are equal at the same place keep their elements, and so their layout.
 * @param {HTMLElement} list @param {HTMLElement} wanted
 */
export function turnInto(list, wanted) {
  for (const { name, value } of wanted.attributes) list.setAttribute(name, value);
  const [words, wantedWords] = [[...list.children], [...wanted.children]];
  wantedWords.forEach((word, index) => {
    if (index >= words.length) list.append(word);
    else if (!words[index].isEqualNode(word)) words[index].replaceWith(word);
  });
  for (const word of words.slice(wantedWords.length)) word.remove();
}

/** The chips of a list, in the order of their positions. @param {HTMLElement} list @returns {HTMLElement[]} */
export function chipsOf(list) {
  return [...list.querySelectorAll(".token")].filter((chip) => chip instanceof HTMLElement);
}

/** Show which word is chosen. @param {HTMLElement} list @param {readonly Token[]} tokens @param {number | null} word */
export function markChosen(list, tokens, word) {
  chipsOf(list).forEach((chip, position) => {
    const own = tokens[position].word;
    const isChosen = own !== null && own === word;
    chip.classList.toggle("chosen", isChosen);
    chip.setAttribute("aria-selected", String(isChosen));
  });
}

/**
 * The chips of a word, with the letter of the sentence that starts there.
 * @param {readonly Token[]} tokens @param {StripData} data @param {string} letter @param {boolean} isRightToLeft
 */
function wordElement(tokens, data, letter, isRightToLeft) {
  const word = element("span", "word");
  word.setAttribute("role", "presentation");
  const { sentence } = tokens[0];
  if (sentence !== null) word.dataset.sentence = LETTERS[sentence];
  if (letter) {
    const badge = element("span", "badge", letter);
    badge.title = `Sentence ${letter} starts here`;
    word.append(badge);
  }
  word.append(...tokens.map((token) => tokenChip(token, data, isRightToLeft)));
  return word;
}

/** @param {Token} token @param {StripData} data @param {boolean} isRightToLeft */
function tokenChip(token, data, isRightToLeft) {
  const chip = element("span", "token");
  chip.classList.toggle("special", token.special);
  chip.classList.toggle("continues", token.continues);
  chip.dataset.position = String(token.position);
  describe(chip, data.choose ? "option" : "listitem", spokenName(token, data));
  chip.tabIndex = -1;
  const label = element("span", "label", token.label);
  // "##" is where the word goes on from: on the left, as on the canvas, or on the right in right-to-left text.
  label.dir = isRightToLeft ? directionOf(token.label) : "ltr";
  // Every chip has this row, so that all are equally high; a word's first piece shows its tag.
  const hasTags = data.tags.length > 0;
  chip.append(
    label,
    " ",
    hasTags ? element("span", "tag", tagOf(token, data.tags)) : element("span", "id", `${token.id}`),
  );
  return chip;
}
