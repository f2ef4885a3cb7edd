// Measures texts and cuts them to a width.

/**
 * The width of a text in CSS pixels.
 * @typedef {(text: string) => number} Measure
 */

/** A text cut to a width, with an ellipsis. @param {string} text @param {number} width @param {Measure} measure */
export function fitted(text, width, measure) {
  if (measure(text) <= width) return text;
  const characters = [...text];
  let [low, high] = [0, characters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${characters.slice(0, middle).join("")}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return `${characters.slice(0, low).join("")}…`;
}

/**
 * Returns functions that measure text of a size and weight.
 * @param {CanvasRenderingContext2D} context used only for measuring
 * @param {string} family @returns {(size: number, weight?: number) => Measure}
 */
export function textMeasures(context, family) {
  return (size, weight = 400) => {
    const font = `${weight} ${size}px ${family}`;
    return (text) => {
      context.font = font; // other measures share the context
      return context.measureText(text).width;
    };
  };
}
