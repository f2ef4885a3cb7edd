// @ts-check
// Names of the files that pictures are saved in.

const LONGEST_NAME = 60; // characters of a title

/** What of a title is letters and digits, with hyphens between, for the name of a file. @param {string} title */
export function nameOf(title) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["untitled"];
  return [...words.join("-")].slice(0, LONGEST_NAME).join("");
}

/**
 * Names for the pictures of a slide: its number, its title, and a letter where there are several.
 * @param {number} number @param {string} title
 * @param {number} count of pictures
 */
export function fileNames(number, title, count) {
  const name = `${String(number).padStart(2, "0")}-${nameOf(title)}`;
  return Array.from({ length: count }, (_, index) => `${name}${count > 1 ? `-${index + 1}` : ""}.svg`);
}
