import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { arch, env } from "node:process";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { ask, runStep } from "./step.mjs";

/**
 * Unpacks packages of this machine's Debian release into the cache, without root: apt's lists and the packages stay in
 * its folder. It installs nothing and runs no script of a package. Call it again only to get the folder.
 *
 * @param {string} name of the folder in the cache.
 * @param {readonly string[]} packages each of them by name; what they depend on is not added.
 * @param {{backports?: boolean}} options `backports`: also of the release's backports.
 * @returns {Promise<{folder: string, root: string, libraries: string}>} `folder` is for files of one's own, `root` has
 *   the packages' files, `libraries` is for LD_LIBRARY_PATH.
 */
export async function debianPackages(name, packages, { backports = false } = {}) {
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile("/etc/os-release", "utf8"))?.[1] ?? "unknown";
  const folder = join(cacheFolder, name, `${release}-${arch}`);
  const [root, listed] = [join(folder, "root"), join(folder, "packages")];
  const wanted = `${packages.join("\n")}\n`;
  const unpacked = await readFile(listed, "utf8").catch(() => "");
  if (unpacked !== wanted) {
    await rm(folder, { recursive: true, force: true });
    await unpack(name, { folder, root, packages, suites: backports ? [release, `${release}-backports`] : [] });
    // Written last: without it, everything is unpacked again.
    await writeFile(listed, wanted);
  }
  const entries = await readdir(join(root, "usr/lib")).catch(() => []);
  const libraries = join(root, "usr/lib", entries.find((entry) => /-linux-/.test(entry)) ?? ".");
  return { folder, root, libraries: `${libraries}${delimiter}${libraries.replace("/usr/lib/", "/lib/")}` };
}

async function unpack(name, { folder, root, packages, suites }) {
  const debs = join(folder, "debs");
  await mkdir(join(debs, "lists/partial"), { recursive: true });
  await mkdir(join(debs, "cache/archives/partial"), { recursive: true });
  const own = [
    `Dir::State::Lists=${join(debs, "lists")}`,
    `Dir::Cache=${join(debs, "cache")}`,
    "APT::Sandbox::User=",
    "Acquire::http::Timeout=30",
    ...(suites.length === 0 ? [] : await onlyFrom(suites, join(debs, "sources.list"))),
  ];
  const options = own.flatMap((option) => ["-o", option]);
  await runStep({ name: `list Debian's packages for ${name}`, command: "apt-get", args: [...options, "update"] });
  const download = { name: `download ${name}`, command: "apt-get", cwd: debs };
  await runStep({ ...download, args: [...options, "download", ...packages] });
  for (const deb of (await readdir(debs)).filter((file) => file.endsWith(".deb")))
    await runStep({ name: `unpack ${deb}`, command: "dpkg", args: ["-x", join(debs, deb), root] });
  await rm(debs, { recursive: true });
}

/** Options that make apt read these suites alone, of the mirror that this machine uses. */
async function onlyFrom(suites, list) {
  const format = ["--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages"];
  const targets = await ask("apt-get", ["indextargets", ...format], "Debian's packages need a source in apt's list.");
  const mirror = new RegExp(`^${suites[0]} (\\S+)$`, "m").exec(targets)?.[1];
  if (mirror === undefined) throw new Error(`apt's list has no mirror of ${suites[0]}`);
  const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  await writeFile(list, suites.map((suite) => `deb [signed-by=${keys}] ${mirror} ${suite} main\n`).join(""));
  return [`Dir::Etc::SourceList=${list}`, "Dir::Etc::SourceParts=/dev/null"];
}

/** A program that runs one line of shell, as if it were installed. */
export async function script(file, line) {
  await writeFile(`${file}.partial`, `#!/bin/sh\n${line}\n`);
  await chmod(`${file}.partial`, 0o755);
  await rename(`${file}.partial`, file);
}

/** The program's file in this machine's PATH. */
export async function onPath(name) {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const file = join(folder, name);
    if (folder !== "" && (await isExecutable(file))) return file;
  }
  return undefined;
}
