// Pointer, wheel and keys of the heat map, told to `map` as what somebody wants:
// point, choose, leave, box, enlarge, goBack, pan, zoom, moveCursor, fit, release. Places are { x, y } on the canvas.

export const STEP = 1.5; // of a button or a key
const FAR = 4; // pixels, from which a press is a drag

/** What a wheel does: { zoom } with Ctrl or ⌘ (a pinch on a touchpad comes as that), else { across, down } in pixels. */
export function wheelAction({ deltaX, deltaY, deltaMode, ctrlKey, metaKey, shiftKey }, line = 40) {
  const unit = deltaMode === 0 ? 1 : line;
  if (ctrlKey || metaKey) return { zoom: Math.exp(Math.max(-60, Math.min(60, -deltaY * unit)) / 150) };
  const [across, down] = shiftKey && !deltaX ? [deltaY, 0] : [deltaX, deltaY];
  return { across: across * unit, down: down * unit };
}

/** What a key asks for, as the name of a method and its argument, or null if it is not ours. */
export function keyAction(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const pans = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  if (event.shiftKey && Object.hasOwn(pans, event.key)) {
    const [across, down] = pans[event.key];
    return ["pan", { across: 60 * across, down: 60 * down }];
  }
  if (/^(Arrow|Page)|^(Home|End)$/.test(event.key)) return ["moveCursor", event.key];
  const actions = {
    Enter: ["chooseCursor"],
    " ": ["chooseCursor"],
    Escape: ["release"],
    "+": ["zoom", STEP],
    "=": ["zoom", STEP],
    "-": ["zoom", 1 / STEP],
    0: ["fit"],
  };
  return Object.hasOwn(actions, event.key) ? actions[event.key] : null;
}

export function listen(canvas, map, signal) {
  let press = null; // { from, last, pans, far } while a button is down
  let dragged = false; // the click that ends a drag selects nothing
  const on = (type, handler, options = {}) => canvas.addEventListener(type, handler, { signal, ...options });
  const placeOf = (event) => ({ x: event.offsetX, y: event.offsetY });

  on("pointerdown", (event) => {
    dragged = false;
    const middle = event.button === 1;
    if (!event.isPrimary || (event.button !== 0 && !middle)) return;
    if (middle) event.preventDefault(); // no autoscroll
    const at = placeOf(event);
    press = { from: at, last: at, pans: middle || event.shiftKey || event.pointerType === "touch", far: false };
    canvas.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    const at = placeOf(event);
    if (!press) return map.point(at);
    press.far ||= Math.hypot(at.x - press.from.x, at.y - press.from.y) > FAR;
    if (!press.far) return;
    map.leave();
    if (press.pans) map.pan({ across: press.last.x - at.x, down: press.last.y - at.y });
    else map.box(press.from, at);
    press.last = at;
  });
  on("pointerup", (event) => {
    if (press?.far) {
      dragged = true;
      map.box(null);
      if (!press.pans) map.enlarge(press.from, placeOf(event));
    }
    press = null;
  });
  on("pointercancel", () => {
    press = null;
    map.box(null);
  });
  on("pointerleave", () => map.leave());
  on("click", (event) => {
    if (dragged) return;
    if (event.detail > 1) map.goBack();
    else map.choose(placeOf(event));
  });
  on(
    "wheel",
    (event) => {
      const action = wheelAction(event);
      const done = action.zoom ? map.zoom(action.zoom, placeOf(event)) : map.pan(action);
      if (done || action.zoom) event.preventDefault(); // at the edge the page scrolls on
      if (done) map.point(placeOf(event));
    },
    { passive: false },
  );
  on("keydown", (event) => {
    if (event.key === "Escape" && press) {
      press = null;
      dragged = true;
      map.box(null);
      return;
    }
    const action = keyAction(event);
    if (!action) return;
    event.preventDefault();
    map[action[0]](...action.slice(1));
  });
  on("blur", () => map.dropCursor());
}
