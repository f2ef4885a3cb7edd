// Maps pointer, wheel and keys of the heat map to actions.
import { pointOn } from "../shared/zoom.mjs";
/** @import { ScaleChoice } from "../shared/types.mjs" */
/** @import { View } from "../shared/view.mjs" */
/** @import { Place, Sides } from "./frame.mjs" */

export const STEP = 1.5; // zoom factor of a button or a key
const FAR = 4; // pixels after which a press becomes a drag
const LINE = 40; // pixels that a wheel moves for one line
const PAN = 60; // pixels that a key moves the picture

/**
 * The actions of pointer and keys. Places are points of the canvas.
 * @typedef {object} Actions
 * @property {(place: Place) => void} point
 * @property {() => void} leave the pointer is on no cell
 * @property {(place: Place) => void} choose select the cell, or release it
 * @property {() => void} goBack show all cells again
 * @property {(from: Place, to: Place) => void} encloseBox show the box that a drag will enlarge
 * @property {() => void} dropBox
 * @property {(from: Place, to: Place) => void} enlarge
 * @property {(pixels: Sides) => boolean} pan returns whether another part is in view
 * @property {(factor: number, place?: Place | null) => boolean} zoom returns whether another part is in view
 * @property {() => void} showAll
 * @property {(choice: ScaleChoice) => void} chooseScale
 * @property {(key: string) => void} moveCursor
 * @property {() => void} chooseCursor
 * @property {() => void} dropCursor
 * @property {() => void} release
 */

/**
 * A wheel zooms with Ctrl or ⌘ (browsers report a touchpad pinch as Ctrl + wheel), else it pans.
 * @param {Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode"> & Partial<WheelEvent>} event
 * @returns {{ zoom: number } | { pan: Sides }}
 */
export function wheelAction({ deltaX, deltaY, deltaMode, ctrlKey, metaKey, shiftKey }) {
  const unit = deltaMode === 0 ? 1 : LINE;
  if (ctrlKey || metaKey) return { zoom: Math.exp(Math.max(-60, Math.min(60, -deltaY * unit)) / 150) };
  const [across, down] = shiftKey && !deltaX ? [deltaY, 0] : [deltaX, deltaY];
  return { pan: { across: across * unit, down: down * unit } };
}

/** @type {Readonly<Record<string, Sides>>} */
const PANS = {
  ArrowUp: { across: 0, down: -PAN },
  ArrowDown: { across: 0, down: PAN },
  ArrowLeft: { across: -PAN, down: 0 },
  ArrowRight: { across: PAN, down: 0 },
};

/** @type {Readonly<Record<string, (actions: Actions) => void>>} */
const KEYS = {
  Enter: (actions) => actions.chooseCursor(),
  " ": (actions) => actions.chooseCursor(),
  Escape: (actions) => actions.release(),
  "+": (actions) => actions.zoom(STEP),
  "=": (actions) => actions.zoom(STEP),
  "-": (actions) => actions.zoom(1 / STEP),
  0: (actions) => actions.showAll(),
};

/**
 * The action of a key, or null.
 * @param {{ key: string, shiftKey?: boolean }} event @returns {((actions: Actions) => void) | null}
 */
export function keyAction({ key, shiftKey }) {
  if (shiftKey && Object.hasOwn(PANS, key)) return (actions) => actions.pan(PANS[key]);
  if (/^(Arrow|Page)|^(Home|End)$/.test(key)) return (actions) => actions.moveCursor(key);
  return Object.hasOwn(KEYS, key) ? KEYS[key] : null;
}

/** @param {MouseEvent} event */
const placeOf = (event) => pointOn(/** @type {Element} */ (event.currentTarget), event);

/** Listen to a canvas for a view. @param {View<unknown> & Actions} view @param {HTMLCanvasElement} canvas */
export function listen(view, canvas) {
  const drag = new Drag(view);
  view.listen(canvas, "pointerdown", (event) => {
    if (drag.begin(event)) canvas.setPointerCapture(event.pointerId);
  });
  view.listen(canvas, "pointermove", (event) => drag.move(placeOf(event)));
  view.listen(canvas, "pointerup", (event) => drag.end(placeOf(event)));
  view.listen(canvas, "pointercancel", () => drag.cancel());
  view.listen(canvas, "pointerleave", () => view.leave());
  view.listen(canvas, "click", (event) => {
    if (drag.wasDrag) return; // the click that ends a drag selects nothing
    if (event.detail > 1) view.goBack();
    else view.choose(placeOf(event));
    if (event.pointerType === "touch") view.point(placeOf(event)); // a finger does not hover
  });
  view.listen(document, "pointerdown", (event) => event.composedPath()[0] !== canvas && view.leave(), {
    capture: true,
  });
  view.listen(canvas, "wheel", (event) => turnWheel(view, event), { passive: false });
  view.listen(canvas, "blur", () => view.dropCursor());
  view.listenToKeys(canvas, (event) => {
    if (event.key === "Escape" && drag.cancel()) return true;
    const action = keyAction(event);
    action?.(view);
    return action !== null;
  });
}

/** @param {Actions} actions @param {WheelEvent} event */
function turnWheel(actions, event) {
  const action = wheelAction(event);
  const zooms = "zoom" in action;
  const isMoved = zooms ? actions.zoom(action.zoom, placeOf(event)) : actions.pan(action.pan);
  if (isMoved || zooms) event.preventDefault(); // at the picture's edge the page scrolls
  if (isMoved) actions.point(placeOf(event));
}

/** A press that becomes a drag once it has moved far enough. */
class Drag {
  wasDrag = false;
  /** @type {{ from: Place, last: Place, pans: boolean, isFar: boolean } | null} */
  #press = null;

  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions;
  }

  /** @param {PointerEvent} event @returns {boolean} whether it may become a drag */
  begin(event) {
    this.wasDrag = false;
    const isMiddle = event.button === 1;
    if (!event.isPrimary || (event.button !== 0 && !isMiddle)) return false;
    if (isMiddle) event.preventDefault(); // no autoscroll
    const place = placeOf(event);
    const pans = isMiddle || event.shiftKey || event.pointerType === "touch";
    this.#press = { from: place, last: place, pans, isFar: false };
    return true;
  }

  /** @param {Place} place */
  move(place) {
    const press = this.#press;
    if (!press) return this.actions.point(place);
    press.isFar ||= Math.hypot(place.x - press.from.x, place.y - press.from.y) > FAR;
    if (!press.isFar) return;
    this.actions.leave();
    if (press.pans) this.actions.pan({ across: press.last.x - place.x, down: press.last.y - place.y });
    else this.actions.encloseBox(press.from, place);
    press.last = place;
  }

  /** @param {Place} place */
  end(place) {
    const press = this.#press;
    this.#press = null;
    if (!press?.isFar) return;
    this.wasDrag = true;
    this.actions.dropBox();
    if (!press.pans) this.actions.enlarge(press.from, place);
  }

  /** Cancel a drag. @returns {boolean} whether there was one */
  cancel() {
    const wasPressed = this.#press !== null;
    this.#press = null;
    if (wasPressed) this.actions.dropBox();
    this.wasDrag = wasPressed;
    return wasPressed;
  }
}
