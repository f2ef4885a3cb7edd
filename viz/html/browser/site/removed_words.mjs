// What the template of `viz/site/removed_words.py` needs of a text whose words were removed, one after the other.
import { boxesOf } from "./labels.mjs";
/** @import { CharacterRange } from "./characters.mjs" */

/**
 * @param {{ labels: string[], losses: number[], total: number, label: number, against: number }} measured what the likeliest
 *   class loses without each word, of its share of the two likeliest
 * @param {readonly CharacterRange[]} ranges @param {Parameters<typeof boxesOf>[2]} box
 */
export function lossesOf({ labels, losses, ...measured }, ranges, box) {
  const high = Math.max(...losses.map(Math.abs), 1e-6);
  const words = boxesOf(labels, ranges, box).map((word, place) => ({ ...word, value: losses[place] }));
  return { ...measured, words, losses, low: -high, high, lines: (words.at(-1)?.top ?? 0) + box.pitch };
}
