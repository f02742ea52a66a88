// Bundles everything that runs from dist/: the functions as they are deployed, and the `ebb` command.
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";

/** CJS starts faster than ESM on Lambda's Node; the packages' ESM sources shake better, so those are bundled. */
const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  mainFields: ["module", "main"],
  // `import()` becomes a deferred require(): a bundle loads its lazy part the same way on every Node.
  supported: { "dynamic-import": false },
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

/**
 * What only some invocations need stays out of the bundle that every cold start loads: `import("./kubeconfig-auth")` is left as
 * a require() of the file of that name beside it, which is an entry of its own.
 */
const lazyParts = {
  name: "lazy-parts",
  setup({ onResolve }) {
    onResolve({ filter: /\/kubeconfig-auth$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./kubeconfig-auth.js", external: true } : undefined,
    );
  },
};

const kubeconfigAuth = { "kubeconfig-auth": "lib/cluster/kubeconfig-auth.ts" };

await rm("dist", { recursive: true, force: true });
const [functions] = await Promise.all([
  build({
    ...shared,
    entryPoints: { tick: "functions/tick.ts", sync: "functions/sync.ts", ...kubeconfigAuth },
    outdir: "dist/functions",
    minify: true,
    plugins: [lazyParts],
  }),
  build({
    ...shared,
    entryPoints: { ebb: "cli/ebb.ts", ...kubeconfigAuth },
    outdir: "dist",
    banner: { js: "#!/usr/bin/env node" },
    plugins: [lazyParts],
    // Its storage has native parts, which cannot be bundled; it is a dependency, so that node_modules has it.
    external: ["dynalite"],
    sourcemap: true,
  }),
]);
await chmod("dist/ebb.js", 0o755);
await mkdir("dist/meta", { recursive: true });
await writeFile("dist/meta/functions.json", JSON.stringify(functions.metafile));
