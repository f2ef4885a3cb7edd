// Sizes of words and pictures on paper, so that each stop fits on one page.

export const ROOM = { said: 377 * 500, notes: 1040 * 90 }; // square pixels of A4 with its long side across

const SQUARE = 0.5 * 1.42; // a character's width by the height of a line, of a font of one pixel
const FULL = 0.8; // share of the room that lines of paragraphs fill
const [SMALLEST, LARGEST] = [7, 13]; // pixels
const PICTURES = { height: 450, map: 130, line: 62, formula: 30, gap: 8, heading: 22 }; // pixels: of all pictures, and of what stands among them
const PARAGRAPH = { characters: 110, line: 15 }; // in a line, and the height of one in pixels
const [WIDE, FEW] = [1.6, 2]; // width over height, and how many pictures

/**
 * The font size in pixels at which so many characters fit, at least the smallest that is legible.
 * @param {number} characters
 * @param {number} room in square pixels
 */
export function sizeOnPaper(characters, room) {
  const fitting = Math.sqrt((FULL * room) / (SQUARE * Math.max(characters, 1)));
  return Math.min(Math.max(Math.floor(2 * fitting) / 2, SMALLEST), LARGEST);
}

/**
 * The number of columns of pictures: a few wide ones are stacked.
 * @param {readonly { width: number, height: number }[]} sizes
 */
export function columnsOnPaper(sizes) {
  const areWide = sizes.every(({ width, height }) => width > WIDE * height);
  return sizes.length < 2 || (sizes.length <= FEW && areWide) ? 1 : 2;
}

/**
 * The height in pixels that each picture may have.
 * @param {number} rows of pictures
 * @param {object} among what stands among them
 * @param {boolean} among.hasMap
 * @param {boolean} [among.hasHeadings]
 * @param {number} among.lines of tokens
 * @param {number} [among.formulas]
 * @param {readonly number[]} [among.paragraphs] the number of characters of each
 */
export function highestOnPaper(rows, { hasMap, hasHeadings = false, lines, formulas = 0, paragraphs = [] }) {
  const { height, map, line, formula, gap, heading } = PICTURES;
  const words = paragraphs.reduce((sum, characters) => sum + Math.ceil(characters / PARAGRAPH.characters), 0);
  const others = (hasMap ? map : 0) + lines * line + formulas * formula + words * PARAGRAPH.line;
  const room = Math.max(height - others, height / 3);
  return Math.floor(room / Math.max(rows, 1)) - gap - (hasHeadings ? heading : 0);
}

/**
 * SVG as an element of the page. Its clip paths get unique ids. The page's policy forbids inline styles: `paper.css` has
 * that of images.
 * @param {string} svg @param {string} prefix
 */
export function svgElement(svg, prefix) {
  const text = svg
    .replaceAll(' style="image-rendering:pixelated"', "")
    .replaceAll(/( id="| clip-path="url[(]#)clip/g, `$1${prefix}-clip`);
  const root = new window.DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  root.setAttribute("aria-hidden", "true");
  return document.importNode(root, true);
}
