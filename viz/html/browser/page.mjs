// Renders a page that is one file and loads nothing.
import { SavedPage } from "./saved_page.mjs";
import { SlideShow } from "./slides/slide_show.mjs";
import { blocksIn, storeAll } from "./stored.mjs";
/** @import { Contents, SlidesContents } from "./contents.mjs" */

const script = document.querySelector("script[data-contents]");
const root = document.querySelector("main");
if (!script || !root) throw new Error("The page has no contents.");
document.documentElement.toggleAttribute("data-framed", window.parent !== window);
/** @type {Contents | SlidesContents} */
const contents = JSON.parse(script.textContent);
const page = "slides" in contents ? new SlideShow(contents, root) : new SavedPage(contents);
page.show(root);
await storeAll(contents.runs, page.firstLayer, blocksIn(document));
if (page instanceof SlideShow) await page.finish();
document.documentElement.dataset.complete = "";
