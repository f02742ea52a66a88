// Draws docs/pictures/*.png, the page of `ebb dashboard` on a recorded fleet: `node scripts/build.mjs`, then
// `node scripts/pictures.mjs [folder]`. It needs the Chromium of `npm run servers`.
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";

const bundle = "dist/bench/pictures.cjs";
await build({
  ...{ entryPoints: ["test/web/pictures.ts"], outfile: bundle, bundle: true, platform: "node", target: "node20" },
  ...{ format: "cjs", packages: "external", logLevel: "warning" },
});
const { drawPictures } = createRequire(import.meta.url)(join(process.cwd(), bundle));
const [folder = "docs/pictures", ...names] = process.argv.slice(2);
await drawPictures({ root: process.cwd(), folder, names });
