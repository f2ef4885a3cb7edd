// Two painters with the same few calls: one draws on a canvas, one writes SVG. A view draws itself through either.
// Coordinates are CSS pixels. Segments are flat: x1, y1, x2, y2, and so on.

/** Draws on a 2D context that is already scaled to the screen's pixels. */
export class CanvasPainter {
  constructor(context, font) {
    this.context = context;
    this.font = font;
  }

  /**
   * All segments in one stroke: a path per colour and opacity is many times faster than one per line.
   * `bend` makes them curves that leave both ends levelly, for that share of the way across.
   */
  lines(segments, { colour, alpha = 1, width = 1, bend = 0 }) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (let i = 0; i < segments.length; i += 4) {
      const [x1, y1, x2, y2] = [segments[i], segments[i + 1], segments[i + 2], segments[i + 3]];
      context.moveTo(x1, y1);
      if (bend) context.bezierCurveTo(x1 + bend * (x2 - x1), y1, x2 - bend * (x2 - x1), y2, x2, y2);
      else context.lineTo(x2, y2);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

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

  /** `align`: start, center or end of the text is at x; `y` is its middle. */
  text(x, y, text, { colour, size = 14, align = "start", weight = 400, alpha = 1 }) {
    const { context } = this;
    context.save();
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.font = `${weight} ${size}px ${this.font}`;
    context.textBaseline = "middle";
    context.direction = "ltr";
    context.textAlign = { start: "left", center: "center", end: "right" }[align];
    context.fillText(text, x, y);
    context.restore();
  }

  /** What `draw` draws has its origin at x and y, and is turned by an angle in degrees. */
  turned(x, y, degrees, draw) {
    const { context } = this;
    context.save();
    context.translate(x, y);
    context.rotate((degrees * Math.PI) / 180);
    draw();
    context.restore();
  }

  /** A small canvas, enlarged without smoothing. */
  image(canvas, x, y, width, height) {
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(canvas, x, y, width, height);
  }

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

/** Text as it may stand in SVG: control characters, which XML forbids even as references, become a replacement. */
export function escaped(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(text)
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"]/g, (character) => entities[character]);
}

const tidy = (number) => String(Math.round(number * 100) / 100);

/** Writes SVG 1.1. */
export class SvgPainter {
  #parts = [];
  #clips = 0;

  constructor(width, height, background, font) {
    this.head =
      `<svg xmlns="http://www.w3.org/2000/svg" width="${tidy(width)}" height="${tidy(height)}" ` +
      `viewBox="0 0 ${tidy(width)} ${tidy(height)}" font-family="${escaped(font)}">`;
    this.rect(0, 0, width, height, { fill: background });
  }

  lines(segments, { colour, alpha = 1, width = 1, bend = 0 }) {
    let path = "";
    for (let i = 0; i < segments.length; i += 4) {
      const [x1, y1, x2, y2] = segments.slice(i, i + 4);
      const levels = `C${tidy(x1 + bend * (x2 - x1))} ${tidy(y1)} ${tidy(x2 - bend * (x2 - x1))} ${tidy(y2)} `;
      path += `M${tidy(x1)} ${tidy(y1)}${bend ? levels : "L"}${tidy(x2)} ${tidy(y2)}`;
    }
    if (!path) return;
    const opacity = tidy(alpha);
    this.#parts.push(
      `<path d="${path}" fill="none" stroke="${colour}" stroke-opacity="${opacity}" stroke-width="${tidy(width)}"/>`,
    );
  }

  rect(x, y, width, height, { fill, stroke, alpha = 1, lineWidth = 1 }) {
    const line = stroke ? ` stroke="${stroke}" stroke-width="${tidy(lineWidth)}"` : "";
    this.#parts.push(
      `<rect x="${tidy(x)}" y="${tidy(y)}" width="${tidy(width)}" height="${tidy(height)}" ` +
        `fill="${fill ?? "none"}" opacity="${tidy(alpha)}"${line}/>`,
    );
  }

  text(x, y, text, { colour, size = 14, align = "start", weight = 400, alpha = 1 }) {
    const anchor = { start: "start", center: "middle", end: "end" }[align];
    this.#parts.push(
      `<text x="${tidy(x)}" y="${tidy(y)}" dy="0.35em" font-size="${size}" font-weight="${weight}" fill="${colour}" ` +
        `opacity="${tidy(alpha)}" text-anchor="${anchor}" xml:space="preserve">${escaped(text)}</text>`,
    );
  }

  turned(x, y, degrees, draw) {
    this.#parts.push(`<g transform="translate(${tidy(x)} ${tidy(y)}) rotate(${tidy(degrees)})">`);
    draw();
    this.#parts.push("</g>");
  }

  image(canvas, x, y, width, height) {
    this.#parts.push(
      `<image x="${tidy(x)}" y="${tidy(y)}" width="${tidy(width)}" height="${tidy(height)}" ` +
        `style="image-rendering:pixelated" preserveAspectRatio="none" href="${canvas.toDataURL()}"/>`,
    );
  }

  clip(x, y, width, height, draw) {
    const id = `clip${this.#clips++}`;
    this.#parts.push(
      `<clipPath id="${id}"><rect x="${tidy(x)}" y="${tidy(y)}" width="${tidy(width)}" height="${tidy(height)}"/>` +
        `</clipPath><g clip-path="url(#${id})">`,
    );
    draw();
    this.#parts.push("</g>");
  }

  toString() {
    return `${this.head}${this.#parts.join("")}</svg>`;
  }
}

/** Fit a canvas to its size on the page and return its context, in CSS pixels and cleared. */
export function contextOf(canvas, width, height, ratio = window.devicePixelRatio) {
  const across = Math.max(1, Math.round(width * ratio));
  const down = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** A Plotly colour scale [[0, "#RRGGBB"], ...] as `steps` colours [r, g, b]. */
export function ramp(scale, steps = 256) {
  const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return Array.from({ length: steps }, (_, step) => {
    const at = step / (steps - 1);
    const next = Math.max(
      1,
      scale.findIndex(([stop]) => stop >= at),
    );
    const [[low, from], [high, to]] = [scale[next - 1], scale[next]];
    const share = (at - low) / (high - low);
    const end = channels(to);
    return channels(from).map((value, index) => Math.round(value + (end[index] - value) * share));
  });
}
