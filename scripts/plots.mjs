// Draws docs/plots/*.svg from what the benchmarks wrote: `npm run bench -- rounds growth --full`, then `npm run plots`.
// A picture of what was not measured here stays as it is.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";

const bundle = "dist/bench/plots.cjs";
await build({
  entryPoints: ["bench/plots/performance.ts"],
  outfile: bundle,
  bundle: true,
  platform: "node",
  target: "node20",
  logLevel: "warning",
});
const { growthPictures, roundPictures } = createRequire(import.meta.url)(`../${bundle}`);

const read = (bench) => {
  const file = `reports/bench-${bench}.json`;
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  console.error(`no ${file}: run \`npm run bench -- ${bench}\` first, to draw its plots`);
  process.exitCode = 1;
  return undefined;
};

const pictures = { ...roundPictures(read("rounds")?.fleets ?? []), ...growthPictures(read("growth")?.curves ?? []) };
mkdirSync("docs/plots", { recursive: true });
for (const [file, svg] of Object.entries(pictures)) {
  writeFileSync(`docs/plots/${file}`, svg);
  console.log(`docs/plots/${file}`);
}
