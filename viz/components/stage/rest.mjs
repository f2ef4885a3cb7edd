// @ts-check
// The pointer of a presenter who does not touch the mouse. A new picture under it must not open hover cards, and those
// of the picture before must close: stage.css takes the page's content out of hit testing while the pointer rests, so
// that the browser itself sends each element the events of a pointer that leaves, and later of one that enters.

/** @param {boolean} isResting */
export function restPointer(isResting) {
  document.documentElement.toggleAttribute("data-pointer-rests", isResting);
}

/**
 * Whether an event is of a pointer that has moved, and not of a page that has moved under it.
 * @param {Pick<PointerEvent, "movementX" | "movementY">} event
 */
export function isMovement({ movementX, movementY }) {
  return movementX !== 0 || movementY !== 0;
}
