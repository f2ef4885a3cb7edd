// @ts-check
// The style sheets of views in a page that is one file: it stands in for `viz/components/shared/sheets.mjs`, which fetches
// them. `viz/html/bundle.mjs` gives each view its sheet's text instead of its address.
import common from "../../components/shared/common.css";

/** @param {string} text of the view's own sheet */
export async function sheetsBeside(text) {
  return [common, text].map((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    return sheet;
  });
}
