// Reports that the browser has painted what it was sent so far. See __init__.py.
/** @import { MountArguments } from "../../shared/types.mjs" */

/** @type {Set<string>} */
const reported = new Set();

/** Call back when the browser is idle; at once on a hidden page, which paints nothing. @param {() => void} callback */
function whenIdle(callback) {
  if (document.hidden) callback();
  else if ("requestIdleCallback" in window) window.requestIdleCallback(callback);
  else requestAnimationFrame(() => requestAnimationFrame(callback)); // Safari
}

/** @param {MountArguments<{ token: string | null, address: string | null }>} mount */
export default function ({ data: { token, address } }) {
  if (!token || !address || reported.has(token)) return;
  reported.add(token);
  whenIdle(() => {
    fetch(`${address}/${token}`, { method: "POST" }).catch((error) => {
      console.warn("The server did not receive the report of a painted page:", error);
    });
  });
}
