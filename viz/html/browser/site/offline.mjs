// Installs the service worker, and offers to cache all of the model.
import { button, element } from "../../../components/shared/elements.mjs";
import { ModelFiles, megabytes } from "./files.mjs";
/** @import { SiteFacts } from "../contents.mjs" */

/** What stands at the end of a page that works without a network. @param {SiteFacts} facts */
export function offlineOffer(facts) {
  const all = megabytes(...Object.values(facts.sizes));
  const offer = element("p", "offline");
  const files = new ModelFiles(document.baseURI, facts, ({ loaded }) => {
    offer.textContent = `${megabytes(loaded)} of ${all} MB are kept.`;
  });
  const keep = button(`Keep for offline use (${all} MB)`, () => {
    const others = ["plotly.js", ...facts.lessons];
    // What is fetched through the service worker is cached.
    void Promise.all([files.keepAll(), ...others.map(fetchWhole)]).then(
      () => offer.replaceChildren("The whole model is kept in this browser: the page works offline."),
      () => offer.replaceChildren("Not all of the model could be loaded. ", keep),
    );
  });
  // A file, an address that is not secure, or a private window has none: the page then needs the network.
  const { serviceWorker } = navigator;
  serviceWorker?.register("service-worker.js").then(
    () => offer.append(keep),
    () => {},
  );
  return offer;
}

/** @param {string} address */
async function fetchWhole(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  await response.arrayBuffer();
}
