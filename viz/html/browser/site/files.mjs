// The files of a model: those that were read once come from the browser's cache, with or without a network.
/** @import { FilesFacts } from "../contents.mjs" */

/** @typedef {{ loaded: number, total: number }} Progress in bytes */

const GZIP = [0x1f, 0x8b, 8]; // how compressed bytes begin; a server that declares them compressed sends others
const WASM = "application/wasm"; // what browsers compile while it arrives

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
    const made = await make(await this.#response(name));
    this.#report({ loaded: this.facts.sizes[name] });
    return made;
  }

  /** What a file of JSON says. @param {string} name @returns {Promise<any>} */
  async json(name) {
    return JSON.parse(new TextDecoder().decode(await this.read(name)));
  }

  /** Whether a file is cached. @param {string} name */
  async has(name) {
    return Boolean(await (await this.cache)?.match(this.#address(name)));
  }

  /** Cache every file, some at a time. */
  async keepAll() {
    const cache = await this.cache;
    const names = Object.keys(this.facts.sizes);
    while (names.length) {
      const some = names.splice(0, 6);
      await Promise.all(some.map(async (name) => (await this.has(name)) || cache?.add(this.#address(name))));
      for (const name of some) this.#report({ loaded: this.facts.sizes[name] });
    }
  }

  /** @param {string} name */
  #address(name) {
    return `${this.base}${this.facts.folder}/${name}.${name === this.facts.runtime ? "zst" : "gz"}`;
  }

  /** @param {string} name */
  async #response(name) {
    this.#report({ total: this.facts.sizes[name] });
    const address = this.#address(name);
    const cache = await this.cache;
    // What was not cached is asked for at once, as what begins meanwhile can occupy this thread.
    const cached = (await this.before).has(address) ? await cache?.match(address) : undefined;
    const response = cached ?? (await fetch(address).catch(() => cache?.match(address)));
    if (!response?.ok) {
      this.#report({ total: -this.facts.sizes[name] });
      throw new Error(`a part of it cannot be loaded (${response?.status ?? "no network"}).`);
    }
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
async function inflated(response) {
  return new Uint8Array(await (await unpacked(response, GZIP, new DecompressionStream("gzip"))).arrayBuffer());
}

/**
 * A response, unpacked while it arrives if it begins as packed files do.
 * @param {Response} response @param {readonly number[]} packed
 * @param {ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>} unpacker
 */
export async function unpacked(response, packed, unpacker) {
  const [whole, body] = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body).tee();
  const reader = whole.getReader();
  const { value: start } = await reader.read();
  void reader.cancel();
  const isPacked = packed.every((byte, place) => start?.[place] === byte);
  return new Response(isPacked ? body.pipeThrough(unpacker) : body, { headers: { "Content-Type": WASM } });
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
