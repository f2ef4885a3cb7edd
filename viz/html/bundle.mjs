// Bundles our JavaScript into a file for each entry point (`make bundle`). With `--check` it writes nothing and reports
// outdated bundles (`make lint`).
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { build, transform } from "esbuild";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const COMPONENTS = join(FOLDER, "..", "components");
/** Saved pages, slides, a page without a server and its workers, the script that starts them, and Streamlit's components. @type {[source: string, bundle: string][]} */
const BUNDLES = [
  [join(FOLDER, "browser", "page.mjs"), join(FOLDER, "page.js")],
  [join(FOLDER, "browser", "slides.mjs"), join(FOLDER, "slides.js")],
  [join(FOLDER, "browser", "site", "page.mjs"), join(FOLDER, "site.js")],
  [join(FOLDER, "browser", "site", "worker.mjs"), join(FOLDER, "worker.js")],
  [join(FOLDER, "browser", "site", "service_worker.mjs"), join(FOLDER, "service-worker.js")],
  [join(FOLDER, "browser", "start.mjs"), join(FOLDER, "start.js")],
  [join(COMPONENTS, "views.mjs"), join(COMPONENTS, "views.js")],
];

/** Files copied from their packages. @type {[source: string, copy: string][]} */
const COPIES = [["plotly.js-cartesian-dist-min/plotly-cartesian.min.js", join(FOLDER, "plotly.js")]];

/** Bundles style sheets as text. */
const styleSheets = {
  name: "style-sheets",
  /** @param {import("esbuild").PluginBuild} builder */
  setup(builder) {
    builder.onResolve({ filter: /\/shared\/sheets[.]mjs$|^[.]\/sheets[.]mjs$/ }, ({ importer }) => {
      return importer.includes("components") ? { path: join(FOLDER, "browser", "sheets.mjs") } : undefined;
    });
    builder.onLoad({ filter: /view[.]mjs$/ }, async ({ path }) => {
      const code = await readFile(path, "utf8");
      if (!code.includes("import.meta.url")) return undefined;
      const sheet = await minified(join(dirname(path), "view.css"));
      return { contents: code.replace("import.meta.url", () => JSON.stringify(sheet)), loader: "js" };
    });
    builder.onLoad({ filter: /[.]css$/ }, async ({ path }) => ({ contents: await minified(path), loader: "text" }));
  },
};

/** @param {string} path of a style sheet */
async function minified(path) {
  return (await transform(await readFile(path, "utf8"), { loader: "css", minify: true })).code.trim();
}

/** @param {string} source */
async function bundled(source) {
  const { outputFiles } = await build({
    entryPoints: [source],
    absWorkingDir: FOLDER,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    charset: "utf8",
    legalComments: "none",
    plugins: [styleSheets],
  });
  return outputFiles[0].text;
}

/** What runs the model of a page without a server. */
const RUNTIME = "ort-wasm-simd-threaded.wasm";

/** @param {string} path @param {string} code */
async function write(path, code) {
  if (!process.argv.includes("--check")) {
    await writeFile(path, code);
  } else if ((await readFile(path, "utf8").catch(() => "")) !== code) {
    report(path);
  }
}

/** Copy a package's file compressed, unless that is there: other versions of Node compress it otherwise. @param {string} source @param {string} path */
async function compress(source, path) {
  const bytes = await readFile(source);
  const before = await readFile(path).catch(() => null);
  if (before && zstdDecompressSync(before).equals(bytes)) return;
  if (process.argv.includes("--check")) report(path);
  else await writeFile(path, zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }));
}

/** @param {string} path of an outdated file */
function report(path) {
  process.stderr.write(`${relative(process.cwd(), path)} is not what its sources give: run \`make bundle\`.\n`);
  process.exitCode = 1;
}

for (const [source, path] of BUNDLES) await write(path, await bundled(source));
for (const [source, path] of COPIES) {
  await write(path, await readFile(fileURLToPath(import.meta.resolve(source)), "utf8"));
}
await compress(fileURLToPath(import.meta.resolve(`onnxruntime-web/${RUNTIME}`)), join(FOLDER, `${RUNTIME}.zst`));
