import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Ajv from "ajv";
import { version } from "../../package.json";
import { billOfMaterials } from "../../scripts/bill-of-materials.mjs";
import { bundledPackages, licenceProblems, noticesOf } from "../../scripts/bundled-packages.mjs";

const folder = mkdtempSync(join(tmpdir(), "ebb-packages-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes packages, and gives the metafiles of two bundles that hold them. */
function bundlesOf(packages: readonly (readonly [path: string, manifest: object, bytesInOutput: number])[]) {
  const inputs = packages.map(([path, manifest, bytesInOutput]) => {
    const at = join(folder, path);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(at, "LICENSE"), `The licence of ${path}\n`);
    return [join(at, "lib/index.js"), { bytesInOutput }] as const;
  });
  const bundle = { inputs: Object.fromEntries([...inputs, ["cli/ebb.ts", { bytesInOutput: 9 }]]) };
  return { "": { outputs: { "/tmp/x/ebb.js": bundle } }, functions: { outputs: { "/tmp/x/sync.js": bundle } } };
}

const ours = [
  ["node_modules/@scope/a", { name: "@scope/a", version: "1.0.0", license: "MIT" }, 10],
  ["node_modules/b", { name: "b", version: "2.0.0", license: { type: "ISC", url: "…" } }, 1],
  ["node_modules/b/node_modules/@scope/a", { name: "@scope/a", version: "1.0.0", license: "MIT" }, 5],
  ["node_modules/b/node_modules/c", { name: "c", version: "3.0.0", license: "Apache-2.0" }, 5],
  ["node_modules/shaken", { name: "shaken", version: "1.0.0", license: "GPL-3.0-only" }, 0],
] as const;

test("each package of the bundles is listed once; a package without any code left is not", async () => {
  const packages = await bundledPackages(bundlesOf(ours));
  expect(packages.map(({ name, version: of, license }) => [name, of, license])).toEqual([
    ["@scope/a", "1.0.0", "MIT"],
    ["b", "2.0.0", "ISC"],
    ["c", "3.0.0", "Apache-2.0"],
  ]);
  expect(packages.map(({ bundles }) => bundles)).toEqual(packages.map(() => ["ebb.js", "functions/sync.js"]));
  expect(licenceProblems(packages)).toEqual([]);
  expect(await noticesOf(packages)).toMatch(/^@scope\/a 1\.0\.0: MIT\n\nThe licence of .*\n-{100}\n\nb 2\.0\.0: ISC/s);
});

test.each([["GPL-3.0-only"], ["SEE LICENSE IN x"], ["(MIT OR GPL-3.0-only)"], ["mit"], ["UNLICENSED"]])(
  "a package under %s must not be in a bundle",
  async (license) => {
    const packages = await bundledPackages(
      bundlesOf([["node_modules/odd", { name: "odd", version: "1.0.0", license }, 1]]),
    );
    const expected = "expected one of 0BSD, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, MIT, MIT-0";
    expect(licenceProblems(packages)).toEqual([
      expect.stringContaining(`odd 1.0.0 in ebb.js, functions/sync.js: ${expected}, got ${license}: `),
    ]);
  },
);

test("a package under two allowed licences has the notices of its sources, if it has no file for them", async () => {
  const license = "(Apache-2.0 AND BSD-3-Clause)";
  const metafiles = bundlesOf([["node_modules/two", { name: "two", version: "1.0.0", license }, 1]]);
  const at = join(folder, "node_modules/two");
  rmSync(join(at, "LICENSE"));
  for (const [file, header] of [
    ["a.js", "// Copyright A\n// All of it.\n"],
    ["b.js", '"use strict";\n// Copyright B\n'],
    ["c.js", "// Copyright A\n// All of it.\n"],
    ["d.js", "// Nothing.\n"],
  ] as const) {
    writeFileSync(join(at, file), `${header}export {};\n`);
  }
  const packages = await bundledPackages(metafiles);
  expect(licenceProblems(packages)).toEqual([]);
  expect(await noticesOf(packages)).toBe(`two 1.0.0: ${license}\n\nCopyright A\nAll of it.\n\nCopyright B\n`);
  expect(JSON.parse(await billOfMaterials(packages))).toMatchObject({
    components: [{ name: "two", licenses: [{ expression: license }] }],
  });
});

test("a package without a licence is an error", async () => {
  const found = bundledPackages(bundlesOf([["node_modules/none", { name: "none", version: "1.0.0" }, 1]]));
  await expect(found).rejects.toThrow(/none\/package\.json: expected a license, got undefined/);
});

test("the bill of materials is CycloneDX 1.6, and the same every time", async () => {
  const packages = await bundledPackages(bundlesOf(ours));
  const text = await billOfMaterials(packages);
  expect(await billOfMaterials(packages)).toBe(text);
  const bom = JSON.parse(text) as Record<string, unknown>;
  expect(bom).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: { component: { type: "application", name: "ebb", version, purl: `pkg:npm/ebb@${version}` } },
  });
  expect(bom["components"]).toContainEqual({
    type: "library",
    group: "@scope",
    name: "a",
    version: "1.0.0",
    "bom-ref": "pkg:npm/%40scope/a@1.0.0",
    purl: "pkg:npm/%40scope/a@1.0.0",
    licenses: [{ license: { id: "MIT" } }],
    properties: ["dist/ebb.js", "dist/functions/sync.js"].map((value) => ({ name: "ebb:bundle", value })),
  });
  expect(problemsOf(bom)).toEqual([]);
  expect(problemsOf({ ...bom, components: [{ name: "no type" }] })).not.toEqual([]);
});

/** By CycloneDX's own schema. */
function problemsOf(bom: unknown): readonly unknown[] {
  const schemas = join(dirname(require.resolve("@cyclonedx/cyclonedx-library/package.json")), "res/schema");
  const read = (name: string) => JSON.parse(readFileSync(join(schemas, name), "utf8")) as object;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(read("spdx.SNAPSHOT.schema.json"), "http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json");
  ajv.addSchema(read("jsf-0.82.SNAPSHOT.schema.json"), "http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json");
  const validate = ajv.compile(read("bom-1.6.SNAPSHOT.schema.json"));
  return validate(bom) === true ? [] : (validate.errors ?? []);
}
