// @ts-check
// Numbers as people read them: with a minus sign in place of a hyphen, and no sign where they round to zero.

/** "0.25", "−1.20" or "0.00". @param {number} value @param {number} digits behind the point */
export function fixed(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
