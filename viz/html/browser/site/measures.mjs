// Lengths and cosines of vectors, as `encoder/measures/similarity.py` measures them.
/** @typedef {import("./encoder.mjs").Floats} Floats */

/** The L2 norm of each vector. @param {Floats} vectors (T, D) @returns {number[]} */
export function lengths(vectors) {
  return products(vectors, vectors).map(Math.sqrt);
}

/** The cosine of each vector and another; 0 where one is zero. @param {Floats} some (T, D) @param {Floats} others (T, D) */
export function cosines(some, others) {
  const norms = lengths(others);
  return products(some, others).map((product, index) => product / (lengths(some)[index] * norms[index] || 1));
}

/** @param {Floats} some (T, D) @param {Floats} others (T, D) */
function products({ shape: [count, width], values }, others) {
  return Array.from({ length: count }, (_, row) => {
    let sum = 0;
    for (let index = row * width; index < (row + 1) * width; index += 1) sum += values[index] * others.values[index];
    return sum;
  });
}
