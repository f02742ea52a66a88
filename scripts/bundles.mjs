// Bundles ebb: scripts/build.mjs writes to dist/, and a test to a folder of its own.
import { readdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";

/** CJS starts faster than ESM on Lambda's Node; the packages' ESM sources shake better, so those are bundled. */
const shared = {
  bundle: true,
  platform: "node",
  // The functions are deployed on Node 24, but the command and the tests run these bundles on every Node of "engines".
  target: "node20",
  format: "cjs",
  mainFields: ["module", "main"],
  // `import()` becomes a deferred require(): a bundle loads its lazy part the same way on every Node.
  supported: { "dynamic-import": false },
  legalComments: "none",
  logLevel: "warning",
};

const functionEntries = {
  tick: "functions/tick.ts",
  wake: "functions/wake.ts",
  sync: "functions/sync.ts",
  watch: "functions/watch.ts",
  notify: "functions/notify.ts",
  metrics: "functions/metrics.ts",
};

/**
 * Keeps parts that only some invocations need out of the bundle that every start loads: `import("…/kubeconfig-auth")`
 * becomes a require() of the file of that name beside it, which is an entry of its own.
 */
const lazyEntries = {
  "kubeconfig-auth": "lib/cluster/auth/kubeconfig-auth.ts",
  "ssm-client": "lib/secrets/ssm-client.ts",
  "port-forward": "lib/cluster/api/services/port-forward.ts",
  ...Object.fromEntries(lazyKinds().map((kind) => [`source-${kind}`, `lib/sources/${kind}/${kind}.ts`])),
};

/** The kinds of metric sources whose kind.ts loads their code with `import("./<kind>")`. */
function lazyKinds() {
  const folders = readdirSync("lib/sources", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => name)
    .filter((kind) => {
      const files = readdirSync(`lib/sources/${kind}`);
      return files.includes("kind.ts") && readFileSync(`lib/sources/${kind}/kind.ts`, "utf8").includes('import("./');
    });
}

/** Clients of the AWS SDK, which the functions have nowhere else. */
const sdkEntries = {
  "secrets-manager-client": "lib/secrets/secrets-manager-client.ts",
  "assume-role": "lib/cluster/auth/assume-role.ts",
  "sdk-resolution": "lib/aws/sdk/sdk-resolution.ts",
  "source-cloudwatch": "lib/sources/cloudwatch/cloudwatch.ts",
};

/** Only the function notify has it. */
const notifyEntries = { publishers: "lib/aws/notifications/publishers.ts" };

/** A function loads one client, if any. The command has all of the SDK in one file, since its clients share much. */
const sdkParts = {
  ...sdkEntries,
  "ssm-client": lazyEntries["ssm-client"],
  "cloudwatch-clients": "lib/aws/sdk/cloudwatch-clients.ts",
};

/**
 * Only the command has these: what `ebb start` runs, the table in files that other verbs may find, and what the
 * embedded API server knows of its kinds.
 */
const lazyCommandEntries = {
  ...Object.fromEntries(Object.entries(lazyEntries).filter(([name]) => !(name in sdkParts))),
  "run-start": "cli/set-up/start/run-start.ts",
  "embedded-table": "local/backends/table/embedded-table.ts",
  "kubernetes-schemas": "local/backends/kubernetes/schemas/kubernetes-schemas.ts",
};

const wholeSdk = {
  name: "aws-sdk",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^aws-sdk$/ }, ({ kind }) =>
      kind === "entry-point" ? { path: "aws-sdk", namespace: "whole-sdk" } : undefined,
    );
    onLoad({ filter: /./, namespace: "whole-sdk" }, () => ({
      contents: Object.values(sdkParts)
        .map((path) => `export * from "./${path}";`)
        .join("\n"),
      resolveDir: process.cwd(),
    }));
  },
};

const fileItself = (entries) => Object.fromEntries(Object.keys(entries).map((name) => [name, name]));

const commandFiles = {
  ...fileItself(lazyCommandEntries),
  ...Object.fromEntries(Object.keys(sdkParts).map((part) => [part, "aws-sdk"])),
};

/** @param files The file that has each part. */
const lazyParts = (files) => ({
  name: "lazy-parts",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path, importer }) => {
      if (kind !== "dynamic-import") return undefined;
      const part = basename(importer) === "kind.ts" ? `source-${basename(dirname(importer))}` : basename(path);
      return part in files ? { path: `./${files[part]}.js`, external: true } : undefined;
    });
  },
});

/** KubeConfig's file imports all API classes, for methods that ebb does not call. */
const kubeconfigParts = {
  name: "kubeconfig-parts",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ importer }) =>
      importer.endsWith(join("client-node", "dist", "config.js"))
        ? { path: join(process.cwd(), "scripts/kubeconfig-parts.mjs") }
        : undefined,
    );
  },
};

/** ioredis prints every command to stderr when DEBUG asks for it, and AUTH has the password. */
const silentCommands = {
  name: "silent-commands",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^debug$/ }, ({ importer }) =>
      importer.includes("/node_modules/ioredis/") ? { path: "debug", namespace: "silent" } : undefined,
    );
    onLoad({ filter: /^debug$/, namespace: "silent" }, () => ({
      contents: "module.exports.default = () => Object.assign(() => undefined, { enabled: false });",
    }));
  },
};

/** The functions as they are deployed. Returns esbuild's metafile. */
export async function bundleFunctions(outdir, moreEntries = {}) {
  const { metafile } = await build({
    ...shared,
    entryPoints: { ...functionEntries, ...lazyEntries, ...sdkEntries, ...notifyEntries, ...moreEntries },
    outdir,
    minify: true,
    metafile: true,
    plugins: [
      lazyParts(fileItself({ ...lazyEntries, ...sdkEntries, ...notifyEntries })),
      kubeconfigParts,
      silentCommands,
    ],
  });
  return metafile;
}

/** classic-level's loader looks for its native parts beside its own file. */
const nativeParts = "node_modules/classic-level/prebuilds";

/** The `ebb` command with its native parts, not minified: stack traces stay readable. Returns esbuild's metafile. */
export async function bundleCommand(outdir) {
  const { metafile } = await build({
    ...shared,
    entryPoints: { ebb: "cli/ebb.ts", "aws-sdk": "aws-sdk", ...lazyCommandEntries },
    outdir,
    // Lines and names stay as they are.
    minifySyntax: true,
    metafile: true,
    plugins: [lazyParts(commandFiles), wholeSdk, kubeconfigParts, silentCommands],
    banner: { js: "#!/usr/bin/env node" },
  });
  await cp(nativeParts, join(outdir, "prebuilds"), { recursive: true, filter: (path) => !path.includes("android") });
  return metafile;
}

/** What `ebb dashboard` serves: its browser loads nothing else. Returns esbuild's metafile. */
export async function bundlePage(outdir) {
  const { metafile } = await build({
    bundle: true,
    platform: "browser",
    // Two years of browsers.
    target: "es2022",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    entryPoints: ["web/app.tsx", "web/app.css"],
    outdir,
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
  });
  for (const file of ["index.html", "icon.svg"]) await cp(join("web", file), join(outdir, file));
  return metafile;
}
