// Replaces `viz/components/shared/sheets.mjs` in bundles, where `viz/html/bundle.mjs` gives each view the text of its
// sheet instead of an address to fetch.
import common from "../../components/shared/common.css";
import scrolling from "../../components/shared/scrolling.css";

/** @param {string} text of the view's own sheet */
export async function sheetsBeside(text) {
  return [common, scrolling, text].map((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    return sheet;
  });
}
