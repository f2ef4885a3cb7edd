// The contents of a long view: a click on a link opens the fold that it names, and scrolls to it.

const LONGEST = 5000; // ms in which the contents of a fold may move it

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

/** Scroll to a fold, and once more when the page below has room for its contents. @param {Element} fold */
function scrollToFold(fold) {
  const scroll = () => fold.scrollIntoView({ block: "start" });
  const observer = new ResizeObserver(scroll);
  observer.observe(fold);
  setTimeout(() => observer.disconnect(), LONGEST);
  for (const type of ["wheel", "pointerdown", "keydown"]) {
    document.addEventListener(type, () => observer.disconnect(), { once: true, passive: true });
  }
}
