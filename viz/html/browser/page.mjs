// Renders a saved page, which is one file and loads nothing.
import { SavedPage } from "./saved_page.mjs";
import { contentsOfPage, showWhole } from "./stored.mjs";

const { contents, root } = contentsOfPage();
await showWhole(new SavedPage(contents), contents, root);
