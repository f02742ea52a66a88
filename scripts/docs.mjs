// Writes docs/cli.md from the commands, and docs/keda-settings.md from what the import does. Tests check both.
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
      contents: `export { cliReference } from "./cli/cli-reference"; export { ebbProgram } from "./cli/program"; export { processEnvironment } from "./cli/shell/environment"; export { settingsPage, kedaSettings } from "./test/cli/keda-settings/settings-page";`,
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
  const { cliReference, ebbProgram, processEnvironment, settingsPage, kedaSettings } = createRequire(import.meta.url)(
    join(process.cwd(), outfile),
  );
  const text = cliReference(ebbProgram(processEnvironment(new AbortController().signal)));
  const write = async (filepath, content) =>
    writeFile(filepath, await format(content, { ...(await resolveConfig(filepath)), filepath }));
  await write("docs/cli.md", text);
  await write(settingsPage, kedaSettings());
} finally {
  await rm(folder, { recursive: true });
}
