// Bundles ebb as it was at a commit, for the simulator: `node scripts/old-code.mjs 9fff429 0.1.0` (test/faults/old).
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const [commit, version] = process.argv.slice(2);
const tree = `${root}.cache/faults/old-${version}/`;

mkdirSync(tree, { recursive: true });
execFileSync("tar", ["-x", "-C", tree], {
  input: execFileSync("git", ["archive", commit, "functions", "lib"], { cwd: root, maxBuffer: 2 ** 28 }),
});
writeFileSync(
  `${tree}entry.ts`,
  `export { syncHandler } from "./functions/sync";
export { tickHandler } from "./functions/tick";
export { wakeHandler } from "./functions/wake";
export { Fault } from "./lib/model/fault";
export { openEventRecorder } from "./lib/sync/events/event-recorder";
export { openStore } from "./lib/table/store";
`,
);
// Time and randomness are the world's (test/faults/world/old-code.ts).
writeFileSync(
  `${tree}platform.ts`,
  `const world = () => (globalThis as never as { ebbPlatform: Record<string, (...given: unknown[]) => unknown> }).ebbPlatform;
export const randomUUID = () => world().randomUUID!();
export const setMaxListeners = () => undefined;
export const setTimeout = (...given: unknown[]) => world().setTimeout!(...given);
`,
);
writeFileSync(`${tree}wiring.ts`, "export const wireTick = undefined, wireWake = undefined, wireSync = undefined;\n");

const outfile = `${tree}bundle.mjs`;
await build({
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  minify: true,
  keepNames: true,
  external: ["@aws-sdk/*"],
  nodePaths: [`${root}node_modules`],
  entryPoints: [`${tree}entry.ts`],
  outfile,
  logLevel: "error",
  plugins: [
    {
      name: "platform",
      setup({ onResolve }) {
        onResolve({ filter: /^node:(crypto|events|timers\/promises)$/ }, ({ importer }) =>
          importer.startsWith(`${tree}lib/`) ? { path: `${tree}platform.ts` } : undefined,
        );
        onResolve({ filter: /^\.\/wiring$/ }, () => ({ path: `${tree}wiring.ts` }));
      },
    },
  ],
});
const packed = gzipSync(readFileSync(outfile), { level: 9 });
writeFileSync(`${root}test/faults/old/ebb-${version}.mjs.gz`, packed);
console.log(`test/faults/old/ebb-${version}.mjs.gz: ${packed.length} bytes`);
