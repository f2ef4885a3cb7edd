// Renders a page that is one file and loads nothing.
import { SavedPage } from "./saved_page.mjs";
import { SlideShow } from "./slides/slide_show.mjs";
import { contentsOfPage, storeAll } from "./stored.mjs";

document.documentElement.toggleAttribute("data-framed", window.parent !== window);
const { contents, root } = contentsOfPage();
const page = "slides" in contents ? new SlideShow(contents, root) : new SavedPage(contents);
page.show(root);
await storeAll(contents.runs, page.firstLayer);
if (page instanceof SlideShow) await page.finish();
document.documentElement.dataset.complete = "";
