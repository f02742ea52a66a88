// Builds parity/recorder, which answers as upstream's controller and admission do, and prints its path. Kept in the
// cache until its sources change.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { exit } from "node:process";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { buildFlags, checkGo, goEnvironment, kubernetesVersion, linkerFlags, writeModule } from "./kubernetes.mjs";
import { runStep } from "./step.mjs";

const own = resolve(import.meta.dirname, "../../parity/recorder");

/** The servers' module and flags, so that the build finds in Go's cache what theirs left there. */
async function recorder() {
  const names = (await readdir(own)).filter((name) => name.endsWith(".go")).sort();
  const sources = await Promise.all(names.map(async (name) => ({ name, text: await readFile(join(own, name)) })));
  const key = createHash("sha256").update(Buffer.concat(sources.map(({ text }) => text)));
  const file = join(cacheFolder, "kubernetes", kubernetesVersion, `recorder-${key.digest("hex").slice(0, 12)}`);
  if (await isExecutable(file)) return file;
  await checkGo();
  const build = `${file}-build`;
  await rm(build, { recursive: true, force: true });
  await mkdir(build, { recursive: true });
  await writeModule(build);
  for (const { name, text } of sources) await writeFile(join(build, name), text);
  const args = ["build", ...buildFlags, "-ldflags", linkerFlags, "-o", `${file}.partial`, "."];
  await runStep({ name: "build recorder", command: "go", args, cwd: build, env: goEnvironment, print: console.error });
  await rename(`${file}.partial`, file);
  await rm(build, { recursive: true, force: true });
  return file;
}

try {
  console.log(await recorder());
} catch (error) {
  console.error(error.message);
  exit(1);
}
