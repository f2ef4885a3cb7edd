// Reads deflated bytes from text in base 85, which `viz/html/text_bytes.py` writes.

const ALPHABET = "!#%()*+,./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
const LAST = ALPHABET.length - 1;

/** The inflated bytes of a text. @param {string} text with or without white space around it */
export async function inflated(text) {
  return unpacked(bytesOf(text.trim()), "deflate");
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionFormat} format */
export async function unpacked(bytes, format) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Five characters encode four bytes; a last group of n < 5 characters encodes n - 1 bytes. @param {string} text */
export function bytesOf(text) {
  const digits = new Uint8Array(128);
  [...ALPHABET].forEach((letter, digit) => (digits[letter.charCodeAt(0)] = digit));
  const groups = new DataView(new ArrayBuffer(4 * Math.ceil(text.length / 5)));
  for (let group = 0; group < groups.byteLength / 4; group += 1) {
    let number = 0;
    for (let index = 5 * group; index < 5 * group + 5; index += 1) {
      number = 85 * number + (index < text.length ? digits[text.charCodeAt(index)] : LAST);
    }
    groups.setUint32(4 * group, number);
  }
  return new Uint8Array(groups.buffer, 0, Math.floor((4 * text.length) / 5));
}
