// Names of the files that pictures are saved in.

const LONGEST_NAME = 60; // characters of a title

/** The letters and digits of a title, joined by hyphens, as a file name. @param {string} title */
export function nameOf(title) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["untitled"];
  return [...words.join("-")].slice(0, LONGEST_NAME).join("");
}

/**
 * The file names of a slide's pictures: its number and title, and a counter if there are several.
 * @param {number} number @param {string} title
 * @param {number} count of pictures
 */
export function fileNames(number, title, count) {
  const name = `${String(number).padStart(2, "0")}-${nameOf(title)}`;
  return Array.from({ length: count }, (_, index) => `${name}${count > 1 ? `-${index + 1}` : ""}.svg`);
}
