// The files of a model: those that were read once come from the browser's cache, with or without a network.
import { unpacked } from "../text_bytes.mjs";

/**
 * What Python writes of a model's files, which are compressed.
 * @typedef {object} FilesFacts
 * @property {string} folder which is named after its contents, so that a file never changes
 * @property {Record<string, number>} sizes of the files in bytes, by name
 * @typedef {{ loaded: number, total: number }} Progress in bytes
 */

const GZIP = [0x1f, 0x8b, 8]; // how compressed bytes begin; a server that declares them compressed sends others

export class ModelFiles {
  #progress = { loaded: 0, total: 0 };

  /** @param {string} page its address @param {FilesFacts} facts @param {(progress: Progress) => void} onProgress */
  constructor(page, facts, onProgress) {
    this.facts = facts;
    this.onProgress = onProgress;
    this.base = new URL(".", page).href;
    // Without a secure address, or in a private window, nothing is cached.
    this.cache = Promise.resolve(globalThis.caches?.open(`headlight ${this.base}`)).catch(() => undefined);
  }

  /** The bytes of a file. @param {string} name */
  async read(name) {
    const bytes = new Uint8Array(await (await this.#response(name)).arrayBuffer());
    return GZIP.every((byte, place) => bytes[place] === byte) ? unpacked(bytes, "gzip") : bytes;
  }

  /** Whether a file is cached. @param {string} name */
  async has(name) {
    return Boolean(await (await this.cache)?.match(this.#address(name)));
  }

  /** Cache every file. */
  async keepAll() {
    const names = Object.keys(this.facts.sizes);
    while (names.length) await Promise.all(names.splice(0, 6).map((name) => this.#response(name)));
  }

  /** @param {string} name */
  #address(name) {
    return `${this.base}${this.facts.folder}/${name}.gz`;
  }

  /** @param {string} name */
  async #response(name) {
    const size = this.facts.sizes[name];
    this.#report({ total: size });
    const cache = await this.cache;
    const cached = await cache?.match(this.#address(name));
    const response = cached ?? (await fetch(this.#address(name)).catch(() => null));
    if (!response?.ok) throw new Error(`a part of it cannot be loaded (${response?.status ?? "no network"}).`);
    if (!cached) await cache?.put(this.#address(name), response.clone()).catch(() => {}); // where there is no room
    this.#report({ loaded: size });
    return response;
  }

  /** @param {Partial<Progress>} added */
  #report({ loaded = 0, total = 0 }) {
    this.#progress = { loaded: this.#progress.loaded + loaded, total: this.#progress.total + total };
    this.onProgress(this.#progress);
  }
}

/**
 * What is made once, or again if it failed.
 * @template Value
 * @param {() => Promise<Value>} make
 */
export function once(make) {
  /** @type {Promise<Value> | null} */
  let made = null;
  return () =>
    (made ??= make().catch((error) => {
      made = null;
      throw error;
    }));
}

/** Of some files, rounded. @param {Record<string, number>} sizes @param {readonly string[]} names */
export function megabytes(sizes, names) {
  return Math.round(names.reduce((sum, name) => sum + sizes[name], 0) / 1e6);
}
