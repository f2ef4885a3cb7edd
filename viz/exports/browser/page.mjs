// @ts-check
// Draws a page that is one file: everything that it shows stands in it, and nothing is loaded.
import { ExportedPage } from "./exported_page.mjs";
import { blocksIn, storeAll } from "./stored.mjs";
/** @import { Contents } from "./contents.mjs" */

const script = document.querySelector("script[data-contents]");
const root = document.querySelector("main");
if (!script || !root) throw new Error("The page has no contents.");
document.documentElement.toggleAttribute("data-framed", window.parent !== window);
/** @type {Contents} */
const contents = JSON.parse(script.textContent);
new ExportedPage(contents).show(root);
await storeAll(contents, blocksIn(document));
document.documentElement.dataset.complete = "";
