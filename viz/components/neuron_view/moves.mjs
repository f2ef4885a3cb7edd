// Small moves: of a cursor through a list, of a scroll position.

/** Where a key moves a place in a list of `count`, or null where it does not. */
export function moved(key, at, count, page) {
  const moves = { ArrowUp: at - 1, ArrowDown: at + 1, PageUp: at - page, PageDown: at + page, Home: 0, End: count - 1 };
  return Object.hasOwn(moves, key) ? Math.min(Math.max(moves[key], 0), count - 1) : null;
}

/** The neighbour of a member of a list, which ends at its ends. */
export function neighbour(list, member, step) {
  return list[Math.min(Math.max(list.indexOf(member) + step, 0), list.length - 1)];
}

/** The scroll position nearest to the present one at which all of a part is seen. */
export function scrolledTo(top, height, start, size) {
  return Math.max(Math.min(top, start), start + size - height);
}
