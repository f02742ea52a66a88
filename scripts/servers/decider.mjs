// Builds upstream's HPA controller as a command that decides situations from JSON lines (bench/upstream), and prints
// its path. Kept in the cache until its sources change.
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { exit } from "node:process";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { checkGo, goEnvironment, kubernetesVersion, linkerFlags, upstreamSources, writeModule } from "./kubernetes.mjs";
import { runStep } from "./step.mjs";

/** Only this is a reason not to compare. */
const noGo = 2;
const own = resolve(import.meta.dirname, "../../bench/upstream");
const controllerPackage = "pkg/controller/podautoscaler";
const controllerFiles = ["horizontal.go", "hpa_selector_store.go", "rate_limiters.go", "replica_calculator.go"];

async function decider() {
  const sources = await Promise.all(["main.go", "decider.go"].map((file) => readFile(join(own, file))));
  const key = createHash("sha256").update(Buffer.concat(sources)).digest("hex").slice(0, 12);
  const file = join(cacheFolder, "kubernetes", kubernetesVersion, `decide-${key}`);
  if (await isExecutable(file)) return file;
  await checkGo().catch((error) => {
    console.error(error.message);
    exit(noGo);
  });
  const build = `${file}-build`;
  const copy = join(build, "podautoscaler");
  await rm(build, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  await writeModule(build);
  await copyFile(join(own, "main.go"), join(build, "main.go"));
  await copyFile(join(own, "decider.go"), join(copy, "decider.go"));
  for (const name of controllerFiles) {
    await copyFile(join(await upstreamSources(), controllerPackage, name), join(copy, name));
    await chmod(join(copy, name), 0o644); // Go's module cache is read-only
  }
  const args = [
    "build",
    "-trimpath",
    "-buildvcs=false",
    "-mod=mod",
    "-ldflags",
    linkerFlags,
    "-o",
    `${file}.partial`,
    ".",
  ];
  await runStep({ name: "build decider", command: "go", args, cwd: build, env: goEnvironment, print: console.error });
  await rename(`${file}.partial`, file);
  await rm(build, { recursive: true, force: true });
  return file;
}

try {
  console.log(await decider());
} catch (error) {
  console.error(error.message);
  exit(1);
}
