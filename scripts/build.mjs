// Bundles the code that runs from dist/: `node scripts/build.mjs [functions] [ebb]`. Default: both.
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { bundleCommand, bundleFunctions } from "./bundles.mjs";
import { licencesOf } from "./licences.mjs";

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
};

const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
try {
  const inputs = [];
  for (const part of asked) {
    if (!(part in parts)) throw new Error(`no such part: ${part}; there are ${Object.keys(parts).join(", ")}`);
    inputs.push(...Object.keys((await parts[part]()).inputs));
  }
  // Only a build of both parts knows all licences.
  if (process.argv.length === 2) await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licencesOf(inputs));
} catch (error) {
  // esbuild has already printed its own errors.
  if (!("errors" in error)) console.error(error.message);
  process.exitCode = 1;
}
