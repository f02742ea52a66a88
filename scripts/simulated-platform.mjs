import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** For esbuild: what code gets in place of the platform where a simulation has the only clock. */
export const simulatedPlatform = {
  name: "simulated-platform",
  setup({ onResolve }) {
    onResolve({ filter: /^node:(crypto|events|timers\/promises)$/ }, ({ importer }) =>
      importer.startsWith(`${root}lib/`) || importer.startsWith(`${root}functions/`)
        ? { path: `${root}test/faults/world/globals.ts` }
        : undefined,
    );
    // The handlers come without what connects them to AWS.
    onResolve({ filter: /^\.\/wiring$/ }, ({ importer }) =>
      importer.startsWith(`${root}functions/`) ? { path: `${root}test/faults/world/no-wiring.ts` } : undefined,
    );
  },
};
