// The entry point of every component; it loads the component's view.
//
// Streamlit serves a component's files below the component's name, and a browser runs a module once for each address.
// All views are therefore loaded from one address, below the name "headlight.views", so that they share their modules.
// Data other than bytes arrives in a list; see registered.py.
/** @import { MountArguments } from "./shared/types.mjs" */

const address = new URL("../headlight.views/views.js", import.meta.url).href;

/** @param {MountArguments<unknown>} mount */
export default async function (mount) {
  const { VIEWS } = await import(address);
  const data = Array.isArray(mount.data) ? mount.data[0] : mount.data;
  return VIEWS[mount.name.replace(/^headlight[.]/, "")]({ ...mount, data });
}
