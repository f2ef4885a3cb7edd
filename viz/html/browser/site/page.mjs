// Renders a page that runs a model: first the example that it contains, then every text that is typed.
import { SavedPage } from "../saved_page.mjs";
import { contentsOfPage, storeAll } from "../stored.mjs";
import { offlineOffer } from "./offline.mjs";
import { TypedTexts } from "./typed_texts.mjs";

const { contents, root } = contentsOfPage();
const page = new SavedPage(contents);
page.show(root);
const [form] = document.forms;
page.header?.before(form);
new TypedTexts(page, contents.site, form);
root.append(offlineOffer(contents.site));
await storeAll(contents.runs, page.firstLayer);
document.documentElement.dataset.complete = "";
