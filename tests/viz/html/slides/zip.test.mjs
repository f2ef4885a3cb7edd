import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { crc32, zipOf } from "../../../../viz/html/browser/slides/zip.mjs";

test("the check sum is that of the standard", () => {
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
  assert.equal(crc32(new Uint8Array()), 0);
});

test("an archive holds its files under their names", async () => {
  const files = [
    { name: "01-größe.svg", text: "<svg>ä</svg>".repeat(50) },
    { name: "02-empty.svg", text: "" },
  ];
  const archive = Buffer.from(await (await zipOf(files)).arrayBuffer());
  const end = archive.length - 22;
  assert.equal(archive.readUInt32LE(end), 0x06054b50);
  assert.equal(archive.readUInt16LE(end + 10), files.length);
  let at = archive.readUInt32LE(end + 16);
  assert.equal(at + archive.readUInt32LE(end + 12), end);
  for (const { name, text } of files) {
    assert.equal(archive.readUInt32LE(at), 0x02014b50);
    assert.equal(archive.readUInt16LE(at + 8) & 0x800, 0x800); // names are UTF-8
    const [crc, packed, whole] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset));
    const length = archive.readUInt16LE(at + 28);
    assert.equal(archive.toString("utf8", at + 46, at + 46 + length), name);
    const local = archive.readUInt32LE(at + 42);
    assert.equal(archive.readUInt32LE(local), 0x04034b50);
    const start = local + 30 + archive.readUInt16LE(local + 26);
    const bytes = inflateRawSync(archive.subarray(start, start + packed));
    assert.equal(bytes.toString("utf8"), text);
    assert.equal(bytes.length, whole);
    assert.equal(crc32(bytes), crc);
    at += 46 + length;
  }
});

test("the same files make the same archive", async () => {
  const [one, other] = await Promise.all([0, 1].map(() => zipOf([{ name: "a.svg", text: "<svg/>" }])));
  assert.deepEqual(await one.bytes(), await other.bytes());
});
