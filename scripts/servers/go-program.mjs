import { createHash } from "node:crypto";
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { buildFlags, checkGo, goEnvironment, kubernetesVersion, linkerFlags, writeModule } from "./kubernetes.mjs";
import { runStep } from "./step.mjs";

const root = resolve(import.meta.dirname, "../..");

/**
 * Builds one program from the Go files of `folders`, and keeps it in the cache until they or `version` change. Module
 * and flags are the servers', so that the build finds in Go's cache what theirs left there. `prepare` adds to the
 * module.
 * @returns {Promise<string>} its path
 */
export async function goProgram({ name, folders, version = "", prepare = async () => {} }) {
  const sources = (await Promise.all(folders.map(goFiles))).flat();
  const key = createHash("sha256").update(version);
  for (const { path, text } of sources) key.update(path).update(text);
  const file = join(cacheFolder, "kubernetes", kubernetesVersion, `${name}-${key.digest("hex").slice(0, 12)}`);
  if (await isExecutable(file)) return file;
  await checkGo();
  const build = `${file}-build`;
  await rm(build, { recursive: true, force: true });
  await mkdir(build, { recursive: true });
  await writeModule(build);
  await prepare(build);
  for (const { path, text } of sources.filter(({ path }) => !path.includes("/stubs/")))
    await writeFile(join(build, path.split("/").at(-1)), text);
  const args = ["build", ...buildFlags, "-ldflags", linkerFlags, "-o", `${file}.partial`, "."];
  await runStep({ name: `build ${name}`, command: "go", args, cwd: build, env: goEnvironment, print: console.error });
  await rename(`${file}.partial`, file);
  await rm(build, { recursive: true, force: true });
  return file;
}

async function goFiles(folder) {
  const names = (await readdir(join(root, folder), { recursive: true })).filter((name) => name.endsWith(".go")).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(root, folder, name);
      return { path: relative(root, path), text: await readFile(path) };
    }),
  );
}

/**
 * Adds a part of another module to the module in `build`: the Go files at `paths`, as `change` leaves them, with
 * `stubs` in the place of what is left out.
 */
export async function addPart(build, { module, version, source, paths, change = (text) => text, stubs, ...modules }) {
  const folder = module.split("/")[2];
  const target = join(build, folder);
  const texts = [];
  for (const path of paths) {
    const text = change(await readFile(join(source, path), "utf8"), path);
    texts.push(text);
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text);
  }
  await cp(stubs, target, { recursive: true });
  const goMod = await readFile(join(source, "go.mod"), "utf8");
  await writeFile(join(target, "go.mod"), moduleFile(module, goMod, texts, modules));
  const lines = `\nrequire ${module} ${version}\nreplace ${module} => ./${folder}\n`;
  await appendFile(join(build, "go.mod"), lines);
}

/** With the versions that the whole module requires. What Kubernetes releases is left to the servers' module. */
function moduleFile(module, goMod, sources, { indirect = [], requires = [] }) {
  const [goLine] = /^go .*$/m.exec(goMod);
  const imported = new Set(
    sources.flatMap((source) => [...source.matchAll(/"([\w.-]+\.[\w./-]+)"/g)].map(([, path]) => path)),
  );
  const isImported = (name) => [...imported, ...indirect].some((path) => path === name || path.startsWith(`${name}/`));
  const required = [...goMod.matchAll(/^\t(\S+) (v\S+)/gm)].filter(
    ([, name]) => isImported(name) && !/^(sigs\.)?k8s\.io\//.test(name),
  );
  const lines = [...required.map(([, name, version]) => `${name} ${version}`), ...requires];
  return `module ${module}\n\n${goLine}\n\nrequire (\n\t${lines.join("\n\t")}\n)\n`;
}
