// Serves the page without a network. The page's files are of one version, which is installed as a whole; the model's
// are cached by `files.mjs`, under names that change with their contents.

/**
 * @typedef {Event & { request: Request, waitUntil: (work: Promise<unknown>) => void, respondWith: (response: Promise<Response>) => void }} Asked
 */
const worker = /** @type {any} */ (globalThis);
/** @type {{ shell: Record<string, string>, model: string }} digests of the page's files; the folder of the model's */
const { shell, model } = worker.version;
/** @type {string} */
const scope = worker.registration.scope;
const MODELS = `headlight ${scope}`;
const SHELL = `${MODELS} ${shell["./"]}`;

worker.addEventListener("install", (/** @type {Asked} */ event) => event.waitUntil(install()));
worker.addEventListener("activate", (/** @type {Asked} */ event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (/** @type {Asked} */ event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(scope)) event.respondWith(answer(event.request));
});

/** A file of another version, as while a server is brought up to date, fails the installation. */
async function install() {
  const files = Object.entries(shell).map(([name, integrity]) => new Request(name, { integrity, cache: "no-cache" }));
  await (await caches.open(SHELL)).addAll(files);
}

async function activate() {
  const shells = (await caches.keys()).filter((name) => name.startsWith(`${MODELS} `) && name !== SHELL);
  await Promise.all(shells.map((name) => caches.delete(name)));
  const cache = await caches.open(MODELS);
  const outdated = (await cache.keys()).filter(({ url }) => !url.startsWith(`${scope}${model}/`));
  await Promise.all(outdated.map((request) => cache.delete(request)));
  await worker.clients.claim(); // so that the first visit can keep lessons, too
}

/** From the cache, where lessons are kept as well once they were opened. @param {Request} request */
async function answer(request) {
  const { origin, pathname, search } = new URL(request.url);
  const isPage = request.mode === "navigate" && [scope, `${scope}index.html`].includes(origin + pathname);
  const cache = await caches.open(SHELL);
  const cached = await cache.match(isPage ? "./" : request);
  if (cached) return cached;
  const response = await fetch(request);
  const isOfModel = request.url.startsWith(`${scope}${model}/`);
  if (response.ok && !search && !isOfModel) void cache.put(request, response.clone()).catch(() => {}); // where there is no room
  return response;
}
