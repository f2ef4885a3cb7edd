// The files of a model: those that were read once come from the browser's cache, with or without a network.
/** @import { FilesFacts } from "../contents.mjs" */

/** @typedef {{ loaded: number, total: number }} Progress in bytes */

export class ModelFiles {
  #progress = { loaded: 0, total: 0 };

  /** @param {string} page its address @param {FilesFacts} facts @param {(progress: Progress) => void} onProgress */
  constructor(page, facts, onProgress) {
    this.facts = facts;
    this.onProgress = onProgress;
    this.base = new URL(".", page).href;
    // Without a secure address, or in a private window, nothing is cached.
    this.cache = Promise.resolve(globalThis.caches?.open(`headlight ${this.base}`)).catch(() => undefined);
    this.before = this.cache.then((cache) => cache?.keys()).then((asked = []) => new Set(asked.map(({ url }) => url)));
  }

  /**
   * What is made of a file while it arrives: its bytes, unless it is named.
   * @template [Made=Uint8Array<ArrayBuffer>]
   * @param {string} name @param {(response: Response) => Promise<Made>} make
   */
  async read(name, make = /** @type {any} */ (inflated)) {
    this.#report({ total: this.facts.sizes[name] });
    try {
      const made = await make(await this.#response(name));
      this.#report({ loaded: this.facts.sizes[name] });
      return made;
    } catch (error) {
      this.#report({ total: -this.facts.sizes[name] });
      throw error;
    }
  }

  /** What a file of JSON says. @param {string} name @returns {Promise<any>} */
  async json(name) {
    return JSON.parse(new TextDecoder().decode(await this.read(name)));
  }

  /** Whether a file is cached. @param {string} name */
  async has(name) {
    return Boolean(await (await this.cache)?.match(this.#address(name)));
  }

  /** Cache every file. */
  async keepAll() {
    const cache = await this.cache;
    const keep = async (/** @type {string} */ name) => {
      if (!(await this.has(name))) await cache?.add(this.#address(name));
      this.#report({ loaded: this.facts.sizes[name] });
    };
    await Promise.all(Object.keys(this.facts.sizes).map(keep));
  }

  /** @param {string} name */
  #address(name) {
    return `${this.base}${this.facts.folder}/${name}.packed`; // a name that no server takes for compressed and unpacks
  }

  /** @param {string} name */
  async #response(name) {
    const address = this.#address(name);
    const cache = await this.cache;
    // What was not cached is asked for at once, as what begins meanwhile can occupy this thread.
    const cached = (await this.before).has(address) ? await cache?.match(address) : undefined;
    const response = cached ?? (await fetch(address).catch(() => cache?.match(address)));
    if (!response?.ok) throw new Error(`a part of it cannot be loaded (${response?.status ?? "no network"}).`);
    if (!cached) void cache?.put(address, response.clone()).catch(() => {}); // where there is no room
    return response;
  }

  /** @param {Partial<Progress>} added */
  #report({ loaded = 0, total = 0 }) {
    this.#progress = { loaded: this.#progress.loaded + loaded, total: this.#progress.total + total };
    this.onProgress(this.#progress);
  }
}

/** The bytes of a response, inflated while they arrive. @param {Response} response */
async function inflated({ body }) {
  return new Uint8Array(await new Response(body?.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

/**
 * Memoizes an async function by name. A rejected promise is dropped, so that the next call tries again.
 * @template Value
 * @param {(name: string) => Promise<Value>} make
 */
export function once(make) {
  /** @type {Map<string, Promise<Value>>} */
  const all = new Map();
  return (name = "") => {
    const made = all.get(name) ?? make(name);
    all.set(name, made);
    made.catch(() => all.delete(name));
    return made;
  };
}

/** Of some numbers of bytes, rounded. @param {...number} sizes */
export function megabytes(...sizes) {
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6);
}
