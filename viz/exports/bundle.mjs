// @ts-check
// Writes viz/exports/page.js, the JavaScript of saved pages in one file, and start.js, which unpacks it there; or says which
// is not what the sources give: `node viz/exports/bundle.mjs`, with `--check` to write nothing. `make bundle` and
// `make lint` call it.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const BUNDLES = ["page", "start"];

/** Style sheets become text: a page that is one file can fetch none. */
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

/** @param {string} name of a module in `browser/` */
async function bundled(name) {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, "browser", `${name}.mjs`)],
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

for (const name of BUNDLES) {
  const path = join(FOLDER, `${name}.js`);
  const code = await bundled(name);
  if (!process.argv.includes("--check")) {
    await writeFile(path, code);
  } else if ((await readFile(path, "utf8").catch(() => "")) !== code) {
    process.stderr.write(`viz/exports/${name}.js is not what its sources give: run \`make bundle\`.\n`);
    process.exitCode = 1;
  }
}
