// Starts a page that is one file: inflates its script, which runs because the page's policy names its hash.
import { inflated } from "./text_bytes.mjs";

const packed = document.querySelector("script[data-code]");
if (!packed) throw new Error("The page has no script.");
const script = document.createElement("script");
script.type = "module";
script.textContent = new TextDecoder().decode(await inflated(packed.textContent));
document.head.append(script);
