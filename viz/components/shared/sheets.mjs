// Loads style sheets before a view's first render; a link would apply them a moment later.

const SHARED = ["common.css", "scrolling.css"];

/**
 * The sheets that all views share, and that of one view.
 * @param {string} url of the view's module, whose folder holds view.css: import.meta.url
 */
export function sheetsBeside(url) {
  const addresses = [...SHARED.map((name) => new URL(name, import.meta.url)), new URL("view.css", url)];
  return Promise.all(addresses.map(sheetAt));
}

/** @param {URL} url */
async function sheetAt(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be loaded: ${answer.status} ${answer.statusText}`);
  return new CSSStyleSheet().replace(await answer.text());
}
