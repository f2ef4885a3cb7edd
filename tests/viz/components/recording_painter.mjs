// A painter that records its calls, to test pictures without a canvas.
/** @import { LineStyle, Painter, RectStyle, TextStyle } from "../../../viz/components/shared/types.mjs" */

export const COLOURS = {
  ...{
    text: "#101010",
    background: "#f0f0f0",
    raised: "#e0e0e0",
    border: "#c0c0c0",
    primary: "#0000f0",
    ring: "#f00000",
  },
  font: "serif",
};

/** @implements {Painter} */
export class RecordingPainter {
  /** @type {({ text: string, x: number, y: number } & TextStyle)[]} */
  texts = [];
  /** @type {({ segments: number[] } & LineStyle)[]} */
  strokes = [];
  /** @type {({ x: number, y: number, width: number, height: number } & RectStyle)[]} */
  rects = [];
  /** @type {{ x: number, y: number, width: number, height: number }[]} */
  images = [];

  /** @param {ArrayLike<number>} segments @param {LineStyle} style */
  lines(segments, style) {
    this.strokes.push({ segments: Array.from(segments), ...style });
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {RectStyle} style */
  rect(x, y, width, height, style) {
    this.rects.push({ x, y, width, height, ...style });
  }

  /** @param {number} x @param {number} y @param {string} text @param {TextStyle} style */
  text(x, y, text, style) {
    this.texts.push({ x, y, text, ...style });
  }

  /** @param {number} x @param {number} y @param {number} degrees @param {() => void} draw */
  turned(x, y, degrees, draw) {
    draw();
  }

  /**
   * @param {HTMLCanvasElement} image @param {number} x
   * @param {number} y @param {number} width @param {number} height
   */
  image(image, x, y, width, height) {
    this.images.push({ x, y, width, height });
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
  clip(x, y, width, height, draw) {
    draw();
  }

  /** The texts that were written, in order. */
  get written() {
    return this.texts.map(({ text }) => text);
  }
}
