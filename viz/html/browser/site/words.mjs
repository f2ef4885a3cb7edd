// The word of the lens, as `viz/answers/word_places.py` places it.
import { unitsOf } from "./units.mjs";
/** @import { TextTokens } from "./tokens.mjs" */

/**
 * @typedef {Pick<TextTokens, "units" | "words">} Tokens
 * @typedef {ReturnType<typeof wordsIn>[number]} Word
 */

/**
 * The word that was chosen, or else the preferred one or the longest that two texts share; null if there is none.
 * @param {readonly { tokens: Tokens }[]} texts
 * @param {{ at: readonly number[], preferred: string, lemmas: ReadonlyMap<string, string> }} choice places in A and in B, -1
 *   for none; the form of the preferred word; the lemmas of words
 */
export function sharedWord(texts, { at, preferred, lemmas }) {
  const [ofA, ofB] = texts.map(({ tokens }) => wordsIn(tokens, lemmas));
  if (!ofB) return null;
  const exact = ofA.filter(({ form, isShared }) => isShared && ofB.some((other) => other.form === form));
  const shared = exact.length ? exact : ofA.filter((word) => word.isShared && placeOf(word, ofB) >= 0);
  const longest = shared.reduce((one, other) => (other.form.length > one.form.length ? other : one), shared[0]);
  const chosen = ofA[at[0]] ?? ofB[at[1]] ?? exact.find(({ form }) => form === preferred) ?? longest;
  if (!chosen) return null;
  const places = [ofA, ofB].map((words, text) => (words[at[text]] ? at[text] : placeOf(chosen, words)));
  const labels = places.map((place, text) => ([ofA, ofB][text][place] ?? chosen).label);
  return { places, labels, isOneForm: labels[0].toLowerCase() === labels[1].toLowerCase() };
}

/** Where a word is in a text in the same form, or else in another inflection; -1 if nowhere. @param {Word} word @param {Word[]} words */
function placeOf({ form, lemma }, words) {
  const exact = words.findIndex((each) => each.form === form);
  return exact < 0 ? words.findIndex((each) => each.lemma === lemma) : exact;
}

/** A word is shared if it has a letter and is no token of the model's such as [MASK]. @param {Tokens} tokens @param {ReadonlyMap<string, string>} lemmas */
function wordsIn(tokens, lemmas) {
  return unitsOf(tokens, "words", "hide").labels.map((label) => {
    const form = label.toLowerCase();
    return { label, form, lemma: lemmas.get(form) ?? form, isShared: /^[^[]*[\p{L}\p{N}]/u.test(form) };
  });
}
