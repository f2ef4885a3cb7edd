// The pictures of slides as SVG, for print and for files: each slide is rendered once off screen.
import { element } from "../../../components/shared/elements.mjs";
import { selectionOf } from "../../../components/shared/page_selection.mjs";
import { svgOf } from "../../../components/shared/save.mjs";
import { sectionsOf } from "./slide.mjs";
/** @import { DataTheme } from "../../../components/shared/types.mjs" */
/** @import { RunContents, SlideContents } from "../contents.mjs" */

/**
 * Texts of SVG files, and the heading of each picture.
 * @typedef {{ pictures: string[], headings: string[], maps: string[] }} SlidePictures
 */

/**
 * The views of a slide with its answer, in the colours of the page; `plots.mjs` makes pictures of its charts.
 * @param {SlideContents} slide
 * @param {readonly RunContents[]} runs of all slides
 * @param {DataTheme} theme @returns {SlidePictures}
 */
export function picturesOf({ picture }, runs, theme) {
  return picture ? drawnBeside(picture, runs, theme) : { pictures: [], headings: [], maps: [] };
}

/**
 * @param {NonNullable<SlideContents["picture"]>} picture @param {readonly RunContents[]} runs @param {DataTheme} theme
 */
function drawnBeside(picture, runs, theme) {
  const scope = /** @type {const} */ ("slide on paper");
  const selection = selectionOf(scope);
  selection.confirm(picture.selection, selection.nextNumber());
  const sections = sectionsOf(picture, runs, scope);
  const place = element("div", sections.length > 1 ? "beside-page narrow" : "beside-page");
  place.append(...sections.flatMap(({ left, right }) => [left, right]));
  document.body.append(place);
  for (const section of sections) section.show(picture.view, theme);
  const found = {
    pictures: sections.flatMap((section) => section.picture ?? []).map(svgOf),
    headings: sections.flatMap((section) => (section.picture ? section.run.heading : [])),
    maps: sections.flatMap((section) => section.map ?? []).map(svgOf),
  };
  for (const section of sections) section.close();
  place.remove();
  return found;
}
