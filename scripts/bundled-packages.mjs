// The packages that the bundles hold, which is all that ebb ships of others. The check of their licences, the file of
// their notices and the software bill of materials come from this one list.
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** Licences that allow to ship a copy in a bundle, with its notice. */
const allowed = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0"]);

/** "node_modules/a/node_modules/b/index.js" → "node_modules/a/node_modules/b"; undefined for our own files. */
const folderOf = (input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];

const isNotice = (path) => /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(basename(path));

/**
 * @param metafiles esbuild's, by the folder of their bundles in dist/ ("" or "functions").
 * @returns each package once, in the order of names, with the bundles that hold it.
 */
export async function bundledPackages(metafiles) {
  const bundles = new Map();
  for (const [folder, { outputs }] of Object.entries(metafiles)) {
    for (const [output, { inputs }] of Object.entries(outputs)) {
      for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
        const found = folderOf(input);
        if (found === undefined || bytesInOutput === 0) continue;
        bundles.set(found, (bundles.get(found) ?? new Set()).add(join(folder, basename(output))));
      }
    }
  }
  const packages = new Map();
  for (const folder of [...bundles.keys()].sort()) {
    const found = await read(folder);
    // The same version may be in several folders.
    const id = `${found.name} ${found.version}`;
    const one = packages.get(id) ?? { ...found, bundles: [] };
    packages.set(id, { ...one, bundles: [...new Set([...one.bundles, ...bundles.get(folder)])].sort() });
  }
  return [...packages.values()];
}

async function read(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  // Old packages write { "type": "MIT", "url": … }.
  const spdx = license?.type ?? license;
  if (typeof spdx !== "string") throw new Error(`${folder}/package.json: expected a license, got ${String(license)}`);
  return { folder, name, version, license: spdx };
}

/** "(Apache-2.0 AND BSD-3-Clause)" demands both. Any other expression is one licence, which is none of the allowed. */
const licencesIn = (spdx) => /^\(?([^()]*)\)?$/.exec(spdx)?.[1].split(" AND ") ?? [spdx];

/** One sentence for each package that must not be in a bundle. */
export function licenceProblems(packages) {
  return packages
    .filter(({ license }) => !licencesIn(license).every((one) => allowed.has(one)))
    .map(({ name, version, license, bundles }) => {
      const expected = `expected one of ${[...allowed].join(", ")}, got ${license}`;
      return `${name} ${version} in ${bundles.join(", ")}: ${expected}: replace it, or add the licence to scripts/bundled-packages.mjs`;
    });
}

/** The notices, which each licence demands with every copy: one text, a section for each package. */
export async function noticesOf(packages) {
  const sections = await Promise.all(packages.map(section));
  return sections.join(`\n${"-".repeat(100)}\n\n`);
}

async function section({ folder, name, version, license }) {
  const files = await readdir(folder, { recursive: true });
  const own = files.filter((file) => !file.includes("node_modules")).sort();
  const notices = own.filter(isNotice);
  const texts = await Promise.all(notices.map((file) => readFile(join(folder, file), "utf8")));
  const found = texts.length > 0 ? texts : await headersOf(folder, own);
  return [`${name} ${version}: ${license}\n`, ...found.map((text) => `${text.trim()}\n`)].join("\n");
}

/** The notices that a package without a file for them has at the start of its sources, each once. */
async function headersOf(folder, files) {
  const sources = files.filter((file) => file.endsWith(".js"));
  const texts = await Promise.all(sources.map((file) => readFile(join(folder, file), "utf8")));
  const headers = texts
    .map((text) => /^(?:\/\/.*\n)+/m.exec(text)?.[0] ?? "")
    .filter((text) => /copyright/i.test(text));
  return [...new Set(headers.map((text) => text.replace(/^\/\/ ?/gm, "")))];
}
