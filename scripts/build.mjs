// Bundles the code that runs from dist/: `node scripts/build.mjs [functions] [ebb] [page]`. Default: all.
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { billOfMaterials } from "./bill-of-materials.mjs";
import { bundledPackages, noticesOf } from "./bundled-packages.mjs";
import { bundleCommand, bundleFunctions, bundlePage } from "./bundles.mjs";

const parts = {
  async functions() {
    await rm("dist/functions", { recursive: true, force: true });
    const metafile = await bundleFunctions("dist/functions");
    await mkdir("dist/meta", { recursive: true });
    await writeFile("dist/meta/functions.json", JSON.stringify(metafile));
    return metafile;
  },
  async ebb() {
    const metafile = await bundleCommand("dist");
    await chmod("dist/ebb.js", 0o755);
    return metafile;
  },
  page: () => bundlePage("dist/dashboard"),
};

/** In dist/. */
const folders = { functions: "functions", ebb: "", page: "dashboard" };

const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
try {
  const metafiles = {};
  for (const part of asked) {
    if (!(part in parts)) throw new Error(`no such part: ${part}; there are ${Object.keys(parts).join(", ")}`);
    metafiles[folders[part]] = await parts[part]();
  }
  // Only a build of all parts knows all packages.
  if (process.argv.length === 2) {
    const packages = await bundledPackages(metafiles);
    await writeFile("dist/THIRD-PARTY-LICENSES.txt", await noticesOf(packages));
    await writeFile("dist/sbom.cdx.json", await billOfMaterials(packages));
  }
} catch (error) {
  // esbuild has already printed its own errors.
  if (!("errors" in error)) console.error(error.message);
  process.exitCode = 1;
}
