// The `Painter` that renders on a canvas.
import { densityOf } from "./zoom.mjs";
/** @import { LineStyle, Painter, RectStyle, TextStyle } from "./types.mjs" */

const ALIGNMENT = { start: "left", center: "center", end: "right" };

/** Renders on a 2D context that is already scaled to the screen's pixels. @implements {Painter} */
export class CanvasPainter {
  /** @param {CanvasRenderingContext2D} context @param {string} font */
  constructor(context, font) {
    this.context = context;
    this.font = font;
  }

  /**
   * All segments in one stroke: a path per colour and opacity is many times faster than one per line.
   * @param {ArrayLike<number>} segments @param {LineStyle} style
   */
  lines(segments, { colour, alpha = 1, width = 1, bend = 0, dash = [] }) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash([...dash]);
    context.beginPath();
    for (let i = 0; i < segments.length; i += 4) {
      const [x1, y1, x2, y2] = [segments[i], segments[i + 1], segments[i + 2], segments[i + 3]];
      context.moveTo(x1, y1);
      if (bend) context.bezierCurveTo(x1 + bend * (x2 - x1), y1, x2 - bend * (x2 - x1), y2, x2, y2);
      else context.lineTo(x2, y2);
    }
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {RectStyle} style */
  rect(x, y, width, height, { fill, stroke, alpha = 1, lineWidth = 1 }) {
    const { context } = this;
    context.globalAlpha = alpha;
    if (fill) {
      context.fillStyle = fill;
      context.fillRect(x, y, width, height);
    }
    if (stroke) {
      context.strokeStyle = stroke;
      context.lineWidth = lineWidth;
      context.strokeRect(x, y, width, height);
    }
    context.globalAlpha = 1;
  }

  /** @param {number} x @param {number} y @param {string} text @param {TextStyle} style */
  text(x, y, text, { colour, size = 14, align = "start", weight = 400 }) {
    const { context } = this;
    context.save();
    context.fillStyle = colour;
    context.font = `${weight} ${size}px ${this.font}`;
    context.textBaseline = "middle";
    context.direction = "ltr";
    context.textAlign = /** @type {CanvasTextAlign} */ (ALIGNMENT[align]);
    context.fillText(text, x, y);
    context.restore();
  }

  /** @param {number} x @param {number} y @param {number} degrees @param {() => void} draw */
  turned(x, y, degrees, draw) {
    const { context } = this;
    context.save();
    context.translate(x, y);
    context.rotate((degrees * Math.PI) / 180);
    draw();
    context.restore();
  }

  /**
   * @param {HTMLCanvasElement} image @param {number} x @param {number} y @param {number} width @param {number} height
   */
  image(image, x, y, width, height) {
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(image, x, y, width, height);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
  clip(x, y, width, height, draw) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    draw();
    context.restore();
  }
}

/** A canvas's 2D context. @param {HTMLCanvasElement} canvas */
export function contextOf(canvas) {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser draws nothing on a canvas.");
  return context;
}

/**
 * A painter on a canvas, which is cleared and resized to its size on the page.
 * @param {HTMLCanvasElement} canvas
 * @param {{ width: number, height: number }} size in CSS pixels
 * @param {string} font
 * @param {number} ratio pixels of the canvas for one of the page
 */
export function painterOn(canvas, { width, height }, font, ratio = densityOf(canvas)) {
  const across = Math.max(1, Math.round(width * ratio));
  const down = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = contextOf(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return new CanvasPainter(context, font);
}

/**
 * A canvas of one pixel for each value.
 * @param {Uint8ClampedArray<ArrayBuffer>} bytes RGBA, row by row
 * @param {number} columns @param {number} rows
 * @param {HTMLCanvasElement} [canvas] a discarded one to reuse: creating one takes ten times as long as filling it
 */
export function pixelImage(bytes, columns, rows, canvas = document.createElement("canvas")) {
  if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
  contextOf(canvas).putImageData(new ImageData(bytes, columns, rows), 0, 0);
  return canvas;
}
