// Units of a text: what rows, columns and the tokens of both sides stand for.

/** The unit that contains a token position, or -1. */
export function unitOf(positions, position) {
  return position < 0 ? -1 : positions.findIndex((members) => members.includes(position));
}

/** Those of a range [from, to) that exist where `until` units do; null or undefined: all of them. */
export function existingOf([from, to], until) {
  return [from, Math.max(from, Math.min(to, until ?? to))];
}
