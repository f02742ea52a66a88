// Writes the files generated from lib/k8s/schema and lib/model/schema: docs/schema, docs/configuration.md and the
// validators. `npm run schema`
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const compiled = "dist/meta/generated.mjs";

/** What loads late (the code of a kind of source, a protocol's library) is not needed for its schema. */
const withoutLateParts = {
  name: "without-late-parts",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

await build({
  entryPoints: ["scripts/schemas/generated.ts"],
  outfile: compiled,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  packages: "external",
  alias: { "ajv/dist/standalone": "ajv/dist/standalone/index.js" },
  logLevel: "warning",
  plugins: [withoutLateParts],
});
const { generatedFiles } = await import(pathToFileURL(compiled));
for (const [path, content] of Object.entries(generatedFiles())) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  console.log(path);
}
