// Renders a saved page, which is one file and loads nothing.
import { linkWithParent } from "./frame_link.mjs";
import { SavedPage } from "./saved_page.mjs";
import { contentsOfPage, showWhole } from "./stored.mjs";

const { contents, root } = contentsOfPage();
const page = new SavedPage(contents);
await showWhole(page, contents, root);
if (contents.linked) linkWithParent(page);
