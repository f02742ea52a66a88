// Writes docs/cli.md from the commands, and the settings of KEDA into the how-to. Tests check that both are up to date.
import { build } from "esbuild";
import { format, resolveConfig } from "prettier";
import { createRequire } from "node:module";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const folder = await mkdtemp(join("node_modules", ".docs-"));
try {
  const outfile = join(folder, "reference.cjs");
  await build({
    stdin: {
      contents: `export { cliReference } from "./cli/cli-reference"; export { ebbProgram } from "./cli/program"; export { processSurroundings } from "./cli/surroundings"; export { fieldsPage, withFields } from "./test/cli/keda-settings/fields-section";`,
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
  const { cliReference, ebbProgram, processSurroundings, fieldsPage, withFields } = createRequire(import.meta.url)(
    join(process.cwd(), outfile),
  );
  const text = cliReference(ebbProgram(processSurroundings(new AbortController().signal)));
  const write = async (filepath, content) =>
    writeFile(filepath, await format(content, { ...(await resolveConfig(filepath)), filepath }));
  await write("docs/cli.md", text);
  await write(fieldsPage, withFields(await readFile(fieldsPage, "utf8")));
} finally {
  await rm(folder, { recursive: true });
}
