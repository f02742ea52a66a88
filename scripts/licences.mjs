// The licences of the bundled packages: a bundle copies them, and each licence demands its notice with every copy.
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

const isNotice = (path) => /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(basename(path));

/** "node_modules/a/node_modules/b/index.js" → "node_modules/a/node_modules/b"; undefined for our own files. */
const packageOf = (input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];

/** @param {readonly string[]} inputs of esbuild's metafile. @returns one text, a section for each package. */
export async function licencesOf(inputs) {
  const folders = [...new Set(inputs.flatMap((input) => packageOf(input) ?? []))].sort();
  const sections = await Promise.all(folders.map(section));
  return sections.join(`\n${"-".repeat(100)}\n\n`);
}

async function section(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  // Old packages write { "type": "MIT", "url": … }.
  const spdx = license?.type ?? license;
  if (typeof spdx !== "string") throw new Error(`${folder}/package.json: expected a license, got ${String(license)}`);
  const files = await readdir(folder, { recursive: true });
  const notices = files.filter((file) => isNotice(file) && !file.includes("node_modules")).sort();
  const texts = await Promise.all(notices.map((file) => readFile(join(folder, file), "utf8")));
  return [`${name} ${version}: ${spdx}\n`, ...texts.map((text) => `${text.trim()}\n`)].join("\n");
}
