// The `Painter` that writes SVG 1.1.
/** @import { LineStyle, Painter, RectStyle, TextStyle } from "./types.mjs" */

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const ANCHORS = { start: "start", center: "middle", end: "end" };

/**
 * Text escaped for SVG; control characters, which XML forbids even as references, become U+FFFD.
 * @param {string} text
 */
export function escaped(text) {
  return (
    text
      .toWellFormed()
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
      .replace(/[&<>"]/g, (character) => ENTITIES[character])
  );
}

/** A number with two digits at most. @param {number} number */
const tidy = (number) => String(Math.round(number * 100) / 100);

/** @param {number} x @param {number} y @param {number} width @param {number} height */
const box = (x, y, width, height) => `x="${tidy(x)}" y="${tidy(y)}" width="${tidy(width)}" height="${tidy(height)}"`;

/** @implements {Painter} */
export class SvgPainter {
  /** @type {string[]} */
  #parts = [];
  #clips = 0;

  /** @param {number} width @param {number} height @param {string} background @param {string} font */
  constructor(width, height, background, font) {
    this.head =
      `<svg xmlns="http://www.w3.org/2000/svg" width="${tidy(width)}" height="${tidy(height)}" ` +
      `viewBox="0 0 ${tidy(width)} ${tidy(height)}" font-family="${escaped(font)}">`;
    this.rect(0, 0, width, height, { fill: background });
  }

  /** @param {ArrayLike<number>} segments @param {LineStyle} style */
  lines(segments, { colour, alpha = 1, width = 1, bend = 0, dash = [] }) {
    let path = "";
    for (let i = 0; i < segments.length; i += 4) {
      const [x1, y1, x2, y2] = [segments[i], segments[i + 1], segments[i + 2], segments[i + 3]];
      const [leave, arrive] = [x1 + bend * (x2 - x1), x2 - bend * (x2 - x1)];
      const curve = `C${tidy(leave)} ${tidy(y1)} ${tidy(arrive)} ${tidy(y2)} `;
      path += `M${tidy(x1)} ${tidy(y1)}${bend ? curve : "L"}${tidy(x2)} ${tidy(y2)}`;
    }
    if (!path) return;
    const dashes = dash.length ? ` stroke-dasharray="${dash.map(tidy).join(" ")}"` : "";
    const stroke = `stroke="${colour}" stroke-opacity="${tidy(alpha)}" stroke-width="${tidy(width)}"${dashes}`;
    this.#parts.push(`<path d="${path}" fill="none" ${stroke}/>`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {RectStyle} style */
  rect(x, y, width, height, { fill, stroke, alpha = 1, lineWidth = 1 }) {
    const line = stroke ? ` stroke="${stroke}" stroke-width="${tidy(lineWidth)}"` : "";
    const style = `fill="${fill ?? "none"}" opacity="${tidy(alpha)}"${line}`;
    this.#parts.push(`<rect ${box(x, y, width, height)} ${style}/>`);
  }

  /** @param {number} x @param {number} y @param {string} text @param {TextStyle} style */
  text(x, y, text, { colour, size = 14, align = "start", weight = 400 }) {
    const font = `font-size="${size}" font-weight="${weight}" fill="${colour}"`;
    this.#parts.push(
      `<text x="${tidy(x)}" y="${tidy(y)}" dy="0.35em" ${font} text-anchor="${ANCHORS[align]}" ` +
        `xml:space="preserve">${escaped(text)}</text>`,
    );
  }

  /** @param {number} x @param {number} y @param {number} degrees @param {() => void} draw */
  turned(x, y, degrees, draw) {
    this.#group(`transform="translate(${tidy(x)} ${tidy(y)}) rotate(${tidy(degrees)})"`, draw);
  }

  /**
   * @param {HTMLCanvasElement} image @param {number} x @param {number} y @param {number} width @param {number} height
   */
  image(image, x, y, width, height) {
    const style = 'style="image-rendering:pixelated" preserveAspectRatio="none"';
    this.#parts.push(`<image ${box(x, y, width, height)} ${style} href="${image.toDataURL()}"/>`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
  clip(x, y, width, height, draw) {
    const id = `clip${this.#clips++}`;
    this.#parts.push(`<clipPath id="${id}"><rect ${box(x, y, width, height)}/></clipPath>`);
    this.#group(`clip-path="url(#${id})"`, draw);
  }

  toString() {
    return `${this.head}${this.#parts.join("")}</svg>`;
  }

  /** @param {string} attributes @param {() => void} draw */
  #group(attributes, draw) {
    this.#parts.push(`<g ${attributes}>`);
    draw();
    this.#parts.push("</g>");
  }
}
