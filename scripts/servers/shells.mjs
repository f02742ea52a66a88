import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { arch, env } from "node:process";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { runStep } from "./step.mjs";

/** The shells in which completion is driven, with what each needs besides glibc, by the names of Debian's packages. */
const packages = ["zsh", "zsh-common", "libcap2", "fish", "fish-common", "libpcre2-32-0"];

/**
 * Paths of zsh and fish: of this machine, else of Debian's packages, unpacked into the cache. A machine that has
 * neither goes without: only the suite that drives the shells fails then.
 * @returns {Promise<Record<string, string>>}
 */
export async function shells() {
  const [zsh, fish] = await Promise.all(["zsh", "fish"].map(onPath));
  if (zsh !== undefined && fish !== undefined) return { zsh, fish };
  try {
    const unpacked = await fromDebian();
    return { zsh: zsh ?? unpacked.zsh, fish: fish ?? unpacked.fish };
  } catch (error) {
    console.log(`servers: no ${zsh === undefined ? "zsh" : "fish"}: install it, or run on Debian: ${error.message}`);
    return { ...(zsh && { zsh }), ...(fish && { fish }) };
  }
}

async function onPath(name) {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const file = join(folder, name);
    if (folder !== "" && (await isExecutable(file))) return file;
  }
  return undefined;
}

async function fromDebian() {
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile("/etc/os-release", "utf8"))?.[1] ?? "unknown";
  const folder = join(cacheFolder, "shells", `${release}-${arch}`);
  const found = { zsh: join(folder, "zsh"), fish: join(folder, "fish") };
  // The last one to be written.
  if (!(await isExecutable(found.fish))) await unpack(folder, found);
  return found;
}

/** Without root: apt's lists, and the packages, stay in `folder`. */
async function unpack(folder, { zsh, fish }) {
  const [root, debs] = [join(folder, "root"), join(folder, "debs")];
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(debs, "lists/partial"), { recursive: true });
  await mkdir(join(debs, "cache/archives/partial"), { recursive: true });
  const own = [
    `Dir::State::Lists=${join(debs, "lists")}`,
    `Dir::Cache=${join(debs, "cache")}`,
    "APT::Sandbox::User=",
    "Acquire::http::Timeout=30",
  ];
  const options = own.flatMap((option) => ["-o", option]);
  await runStep({ name: "list Debian's packages", command: "apt-get", args: [...options, "update"] });
  const download = { name: "download zsh and fish", command: "apt-get", cwd: debs };
  await runStep({ ...download, args: [...options, "download", ...packages] });
  for (const deb of (await readdir(debs)).filter((file) => file.endsWith(".deb")))
    await runStep({ name: `unpack ${deb}`, command: "dpkg", args: ["-x", join(debs, deb), root] });
  await rm(debs, { recursive: true });
  const libraries = join(
    root,
    "usr/lib",
    (await readdir(join(root, "usr/lib"))).find((name) => /-linux-/.test(name)),
  );
  await writeFile(join(folder, ".zshenv"), zshenv(root, libraries));
  const path = `LD_LIBRARY_PATH='${libraries}:${libraries.replace("/usr/lib/", "/lib/")}'`;
  await script(zsh, `EBB_ZDOTDIR="\${ZDOTDIR:-$HOME}" ZDOTDIR='${folder}' ${path} exec '${root}/bin/zsh' "$@"`);
  await script(fish, `${path} exec '${root}/usr/bin/fish' "$@"`);
}

/** zsh reads it first: its modules and functions are not where they would be installed. */
function zshenv(root, libraries) {
  return `ZDOTDIR=$EBB_ZDOTDIR
module_path=('${libraries}'/zsh/*(N/))
fpath=('${root}'/usr/share/zsh/functions/**/*(N/) '${root}'/usr/share/zsh/functions)
[[ -r $ZDOTDIR/.zshenv ]] && source $ZDOTDIR/.zshenv
`;
}

async function script(file, line) {
  await writeFile(`${file}.partial`, `#!/bin/sh\n${line}\n`);
  await chmod(`${file}.partial`, 0o755);
  await rename(`${file}.partial`, file);
}
