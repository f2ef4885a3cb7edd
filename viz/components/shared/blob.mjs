// What Python sends in one message: arrays and their extras, in the layout of safetensors.

const ARRAYS = { U8: Uint8Array, U16: Uint16Array, I32: Int32Array, F32: Float32Array };

/** Bytes to { tensors: { name: { shape, values } }, extras }; the extras are JSON. */
export function parseBlob(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const {
    __metadata__: { extras },
    ...entries
  } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const tensors = {};
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [from, to],
    },
  ] of Object.entries(entries)) {
    const aligned = bytes.slice(start + from, start + to);
    tensors[name] = { shape, values: new ARRAYS[dtype](aligned.buffer) };
  }
  return { tensors, extras: JSON.parse(extras) };
}

/** Weights are sent as round(65535 · √w): small ones keep their digits. */
export function weightOf(quantised) {
  const root = quantised / 65535;
  return root * root;
}
