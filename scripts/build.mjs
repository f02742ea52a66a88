// Bundles what runs from dist/: the functions as they are deployed, and the `ebb` command. `node scripts/build.mjs [functions] [ebb]`
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
  logLevel: "warning",
};

/**
 * What only some invocations need stays out of the bundle that every cold start loads: `import("./kubeconfig-auth")` is left as
 * a require() of the file of that name beside it, which is an entry of its own.
 */
const lazyEntries = {
  "kubeconfig-auth": "lib/cluster/kubeconfig-auth.ts",
  "ssm-client": "lib/cluster/ssm-client.ts",
};

const lazyParts = {
  name: "lazy-parts",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(kubeconfig-auth|ssm-client)$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `${path}.js`, external: true } : undefined,
    );
  },
};

const parts = {
  async functions() {
    await rm("dist/functions", { recursive: true, force: true });
    const { metafile } = await build({
      ...shared,
      entryPoints: { tick: "functions/tick.ts", sync: "functions/sync.ts", ...lazyEntries },
      outdir: "dist/functions",
      minify: true,
      metafile: true,
      plugins: [lazyParts],
    });
    await mkdir("dist/meta", { recursive: true });
    await writeFile("dist/meta/functions.json", JSON.stringify(metafile));
  },
  async ebb() {
    await build({
      ...shared,
      entryPoints: { ebb: "cli/ebb.ts", ...lazyEntries },
      outdir: "dist",
      plugins: [lazyParts],
      sourcemap: true,
      // Its storage has native parts, which cannot be bundled; it is a dependency, so that node_modules has it.
      external: ["dynalite"],
    });
    await chmod("dist/ebb.js", 0o755);
  },
};

const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
try {
  for (const part of asked) {
    if (!(part in parts)) throw new Error(`no such part: ${part}; there are ${Object.keys(parts).join(", ")}`);
    await parts[part]();
  }
} catch (error) {
  // What esbuild has to say it has said.
  if (!("errors" in error)) console.error(error.message);
  process.exitCode = 1;
}
