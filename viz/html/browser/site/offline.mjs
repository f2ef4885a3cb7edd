// Installs the service worker, and offers to cache all that it does not.
import { button, element } from "../../../components/shared/elements.mjs";
import { ModelFiles, megabytes } from "./files.mjs";
/** @import { SiteFacts } from "../contents.mjs" */

/** What stands at the end of a page that works without a network. @param {SiteFacts} facts */
export function offlineOffer(facts) {
  const all = megabytes(...Object.values(facts.sizes));
  const offer = element("p", "offline");
  const keep = button(`Keep for offline use (${all} MB)`, async () => {
    const files = new ModelFiles(document.baseURI, facts, ({ loaded }) => {
      offer.textContent = `${megabytes(loaded)} of ${all} MB are kept.`;
    });
    try {
      await files.keepAll();
      const others = await Promise.all(facts.others.map((address) => fetch(address))); // the service worker caches them
      if (!others.every(({ ok }) => ok)) throw new Error("A lesson is missing.");
      offer.textContent = "The whole model is kept in this browser: the page works offline.";
    } catch {
      offer.replaceChildren("Not all of the model could be loaded. ", keep);
    }
  });
  const { serviceWorker } = navigator; // a file, an address that is not secure, or a private window has none
  void serviceWorker?.register("service-worker.js").catch(() => {});
  void serviceWorker?.ready.then(() => offer.append(keep));
  return offer;
}
