// @ts-check
// Reports that the browser has painted what it was sent so far. See __init__.py.
/** @import { MountArguments } from "../shared/types.mjs" */

/** @type {Set<string>} */
const reported = new Set();

/**
 * Call back when the browser has nothing left to draw.
 * @param {() => void} callback
 */
function whenIdle(callback) {
  if ("requestIdleCallback" in window) window.requestIdleCallback(callback);
  else requestAnimationFrame(() => requestAnimationFrame(callback)); // Safari
}

/** @param {MountArguments<{ token: string | null, address: string | null }>} mount */
export default function ({ data: { token, address } }) {
  if (!token || !address || reported.has(token)) return;
  reported.add(token);
  whenIdle(() => {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(token) };
    fetch(address, request).catch((error) => console.warn("The server was not told of a painted page:", error));
  });
}
