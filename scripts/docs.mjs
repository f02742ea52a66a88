// Writes docs/cli.md from the commands. A test checks that it is up to date.
import { build } from "esbuild";
import { format, resolveConfig } from "prettier";
import { createRequire } from "node:module";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const folder = await mkdtemp(join("node_modules", ".docs-"));
try {
  const outfile = join(folder, "reference.cjs");
  await build({
    stdin: {
      contents: `export { cliReference } from "./cli/cli-reference"; export { ebbProgram } from "./cli/program"; export { processSurroundings } from "./cli/surroundings";`,
      resolveDir: process.cwd(),
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    logLevel: "error",
    mainFields: ["module", "main"],
    external: ["dynalite", "classic-level"],
  });
  const { cliReference, ebbProgram, processSurroundings } = createRequire(import.meta.url)(
    join(process.cwd(), outfile),
  );
  const text = cliReference(ebbProgram(processSurroundings(new AbortController().signal)));
  const options = await resolveConfig("docs/cli.md");
  await writeFile("docs/cli.md", await format(text, { ...options, filepath: "docs/cli.md" }));
} finally {
  await rm(folder, { recursive: true });
}
