// Requests a rerun when the page's theme is not the one Python rendered, and reloads the page when the server has
// another version of the code. See __init__.py.
/** @import { MountArguments } from "../../shared/types.mjs" */

/** The theme that a background belongs to. @param {string} background as the browser writes it: "rgb(15, 17, 23)" */
export function themeOf(background) {
  const [red, green, blue] = (background.match(/\d+(\.\d+)?/g) ?? []).map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128 ? "dark" : "light";
}

/**
 * The theme that each component last requested; none is requested twice, whatever Python answers.
 * @type {WeakMap<Node, string>}
 */
const requested = new WeakMap();

/** The version of the code that this page has loaded: the one that it was sent first. */
let loaded = "";

/**
 * Called again for new data and when the theme changes.
 * @param {MountArguments<{ drawn: string, code: string }>} mount
 */
export default function ({ data, parentElement, setTriggerValue }) {
  loaded ||= data.code;
  if (data.code !== loaded) return window.location.reload();
  const probe = parentElement.querySelector(".probe");
  if (!probe) return;
  const shown = themeOf(getComputedStyle(probe).color);
  if (shown === data.drawn) {
    requested.delete(parentElement);
  } else if (requested.get(parentElement) !== shown) {
    requested.set(parentElement, shown);
    setTriggerValue("switched", shown);
  }
}
