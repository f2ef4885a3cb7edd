// Renders slides, which are one file and load nothing.
import { SlideShow } from "./slides/slide_show.mjs";
import { contentsOfPage, showWhole } from "./stored.mjs";

const { contents, root } = contentsOfPage();
const show = new SlideShow(contents, root);
await showWhole(show, contents, root, () => show.finish());
