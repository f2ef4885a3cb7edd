// A zip archive of texts (PKWARE's APPNOTE 6.3): deflated, with names in UTF-8, and the same for the same texts.

/** @typedef {{ name: string, text: string }} TextFile */

const SIGNATURES = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 };
const [VERSION, NAMES_IN_UTF8, DEFLATED] = [20, 0x0800, 8];
const FIRST_OF_JANUARY_1980 = 0x21; // the first day that a zip can name
const SIZES = { local: 30, central: 46, end: 22 };

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The CRC-32 of some bytes. @param {Uint8Array} bytes */
export function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = CRC_TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/** @param {readonly TextFile[]} files whose names differ @returns {Promise<Blob>} */
export async function zipOf(files) {
  const encoder = new TextEncoder();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const locals = [];
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const centrals = [];
  let offset = 0;
  for (const { name, text } of files) {
    const [path, whole] = [encoder.encode(name), encoder.encode(text)];
    const packed = await deflated(whole);
    const entry = { path, crc: crc32(whole), packed: packed.length, whole: whole.length };
    locals.push(localHeader(entry), packed);
    centrals.push(centralHeader(entry, offset));
    offset += SIZES.local + path.length + packed.length;
  }
  const directory = centrals.reduce((sum, { length }) => sum + length, 0);
  return new Blob([...locals, ...centrals, ending(files.length, directory, offset)], { type: "application/zip" });
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function deflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @typedef {{ path: Uint8Array, crc: number, packed: number, whole: number }} Entry */

/** @param {Entry} entry */
function localHeader(entry) {
  const [bytes, view] = space(SIZES.local + entry.path.length);
  view.setUint32(0, SIGNATURES.local, true);
  describe(view, 4, entry);
  bytes.set(entry.path, SIZES.local);
  return bytes;
}

/** @param {Entry} entry @param {number} offset of its local header */
function centralHeader(entry, offset) {
  const [bytes, view] = space(SIZES.central + entry.path.length);
  view.setUint32(0, SIGNATURES.central, true);
  view.setUint16(4, VERSION, true);
  describe(view, 6, entry);
  view.setUint32(42, offset, true);
  bytes.set(entry.path, SIZES.central);
  return bytes;
}

/** The fields of a file that both headers have. @param {DataView} view @param {number} start @param {Entry} entry */
function describe(view, start, { path, crc, packed, whole }) {
  view.setUint16(start, VERSION, true);
  view.setUint16(start + 2, NAMES_IN_UTF8, true);
  view.setUint16(start + 4, DEFLATED, true);
  view.setUint16(start + 8, FIRST_OF_JANUARY_1980, true);
  [crc, packed, whole].forEach((value, index) => view.setUint32(start + 10 + 4 * index, value, true));
  view.setUint16(start + 22, path.length, true);
}

/**
 * @param {number} count of files
 * @param {number} size of the directory in bytes @param {number} offset of the directory
 */
function ending(count, size, offset) {
  const [bytes, view] = space(SIZES.end);
  view.setUint32(0, SIGNATURES.end, true);
  view.setUint16(8, count, true);
  view.setUint16(10, count, true);
  view.setUint32(12, size, true);
  view.setUint32(16, offset, true);
  return bytes;
}

/** @param {number} size @returns {[Uint8Array<ArrayBuffer>, DataView]} */
function space(size) {
  const bytes = new Uint8Array(size);
  return [bytes, new DataView(bytes.buffer)];
}
