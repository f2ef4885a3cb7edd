// Starts the runtime of ONNX, whose code is compiled while it arrives.
import { Decompress } from "fzstd";
import * as runtime from "onnxruntime-web/wasm";
/** @import { ModelFiles } from "./files.mjs" */

/** The runtime itself would compile bytes, and gets a module. @param {ModelFiles} files @param {string} name of its code */
export async function startRuntime(files, name) {
  runtime.env.wasm.numThreads = 1;
  const headers = { "Content-Type": "application/wasm" };
  const module = await files.read(name, async ({ body }) =>
    WebAssembly.compileStreaming(new Response(body?.pipeThrough(zstandard()), { headers })),
  );
  const { instantiate } = WebAssembly;
  const given = async (/** @type {unknown} */ _, /** @type {WebAssembly.Imports} */ imports) => ({
    module,
    instance: await instantiate(module, imports),
  });
  Object.assign(WebAssembly, { instantiate: given });
  runtime.env.wasm.wasmBinary = new ArrayBuffer(1); // so that it fetches nothing
}

/** Unpacks Zstandard, which browsers do not; it makes the runtime's code a third smaller than gzip does. */
function zstandard() {
  /** @type {Decompress} */
  let unpacker;
  /** @type {TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>} */
  const stream = new TransformStream({
    start: (out) => {
      unpacker = new Decompress((chunk) => out.enqueue(/** @type {Uint8Array<ArrayBuffer>} */ (chunk)));
    },
    transform: (chunk) => unpacker.push(chunk),
  });
  return stream;
}
