// Prints the software bill of materials of the bundles as CycloneDX 1.6: `npm run -s sbom > ebb.cdx.json`. With
// `licences`, only checks that every package in the bundles has a licence that allows to ship it: `npm run licences`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { billOfMaterials } from "./bill-of-materials.mjs";
import { bundledPackages, licenceProblems } from "./bundled-packages.mjs";
import { bundleCommand, bundleFunctions } from "./bundles.mjs";

const folder = await mkdtemp(join(tmpdir(), "ebb-sbom-"));
try {
  const metafiles = { "": await bundleCommand(folder), functions: await bundleFunctions(join(folder, "functions")) };
  const packages = await bundledPackages(metafiles);
  const problems = licenceProblems(packages);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else if (process.argv[2] !== "licences") process.stdout.write(await billOfMaterials(packages));
} finally {
  await rm(folder, { recursive: true });
}
