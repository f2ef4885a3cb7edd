// Loads style sheets before a view's first render; a link would apply them a moment later.

/**
 * The sheet that all views share, and that of one view.
 * @param {string} url of the view's module, whose folder holds view.css: import.meta.url
 */
export function sheetsBeside(url) {
  return Promise.all([sheetAt(new URL("common.css", import.meta.url)), sheetAt(new URL("view.css", url))]);
}

/** @param {URL} url */
async function sheetAt(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be loaded: ${answer.status} ${answer.statusText}`);
  return new CSSStyleSheet().replace(await answer.text());
}
