// Renders a page that runs a model: first the example that it contains, then every text that is typed.
import { SavedPage } from "../saved_page.mjs";
import { blocksIn, storeAll } from "../stored.mjs";
import { offlineOffer } from "./offline.mjs";
import { TypedTexts } from "./typed_texts.mjs";

const script = document.querySelector("script[data-contents]");
const root = document.querySelector("main");
if (!script || !root) throw new Error("The page has no contents.");
/** @type {import("../contents.mjs").Contents} */
const contents = JSON.parse(script.textContent);
const page = new SavedPage(contents);
page.show(root);
const form = document.querySelector("form");
if (contents.site && form) {
  page.header?.before(form);
  new TypedTexts(page, contents, contents.site, form);
  root.append(offlineOffer(contents.site));
}
await storeAll(contents.runs, page.firstLayer, blocksIn(document));
document.documentElement.dataset.complete = "";
