// Converts between the pixels of a zoomed element (the stage zooms the page) and those of the window. A picture is laid
// out in its own pixels, so that one factor scales all of it.

/** How many pixels of the window one pixel of an element takes. @param {Element} target */
export function zoomOf(target) {
  return target.currentCSSZoom ?? 1; // older browsers lack it and measure in window pixels
}

/** How many pixels of the screen one pixel of an element takes. @param {Element} target */
export function densityOf(target) {
  return window.devicePixelRatio * zoomOf(target);
}

/** Where an element lies in the window, in its own pixels. @param {Element} target */
export function boxOf(target) {
  const zoom = zoomOf(target);
  const { left, right, top, bottom, width, height } = target.getBoundingClientRect();
  return {
    left: left / zoom,
    right: right / zoom,
    top: top / zoom,
    bottom: bottom / zoom,
    width: width / zoom,
    height: height / zoom,
  };
}

/**
 * Where the pointer is in the window, in an element's own pixels.
 * @param {Element} target @param {{ clientX: number, clientY: number }} event
 */
export function pointIn(target, { clientX, clientY }) {
  const zoom = zoomOf(target);
  return { x: clientX / zoom, y: clientY / zoom };
}

/**
 * Where the pointer is on an element, in the element's own pixels.
 * @param {Element} target @param {{ clientX: number, clientY: number }} event
 */
export function pointOn(target, event) {
  const [{ x, y }, { left, top }] = [pointIn(target, event), boxOf(target)];
  return { x: x - left, y: y - top };
}

/**
 * The height available to a picture on stage, from an element's top to the content below; null on the page, which
 * scrolls. `viz/page/page.css` sets --stage-foot on stage.
 * @param {Element} target
 */
export function roomOnStage(target) {
  const foot = getComputedStyle(target).getPropertyValue("--stage-foot");
  return foot ? window.innerHeight / zoomOf(target) - boxOf(target).top - parseFloat(foot) : null;
}
