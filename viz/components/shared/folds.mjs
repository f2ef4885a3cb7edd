// The contents of a long view: a click on a link opens the fold that it names, and scrolls to it.

const PAGE = ".stMainBlockContainer"; // all that scrolls with a fold

/**
 * Open the fold of a link such as "#lens_senses_folded", named by its Streamlit key. Other clicks are ignored.
 * @param {MouseEvent} event
 */
export function openLinkedFold(event) {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"][href$="_folded"]') : null;
  const fold = link && document.querySelector(`.st-key-${CSS.escape((link.getAttribute("href") ?? "").slice(1))}`);
  const details = fold?.querySelector("details");
  if (!fold || !details) return;
  event.preventDefault();
  if (!details.open) details.querySelector("summary")?.click();
  scrollToFold(fold);
}

/**
 * Scroll to a fold, and again whenever it or the page grows, until the user does something else.
 * @param {Element} fold
 */
function scrollToFold(fold) {
  const observer = new ResizeObserver(() => fold.scrollIntoView({ block: "start" }));
  for (const growing of [fold, fold.closest(PAGE)]) if (growing) observer.observe(growing);
  for (const type of ["wheel", "pointerdown", "keydown"]) {
    document.addEventListener(type, () => observer.disconnect(), { once: true, passive: true });
  }
}
