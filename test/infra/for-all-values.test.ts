import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { allowing, type Statement } from "./iam";
import { customTags, readYaml } from "./read-template";

/** IAM: a ForAllValues condition holds for a request that has no such key at all. `Null` beside it closes that. */
const root = join(__dirname, "../..");

type Condition = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const files = ["infra", "examples", "docs"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ya?ml|json|md|cjs|tf)$/.test(file))
    .map((file) => ({ file: `${folder}/${file}`, text: readFileSync(join(root, folder, file), "utf8") })),
);

/** The documents of a file; of a page, those in its code blocks. */
function documentsOf({ file, text }: (typeof files)[number]): readonly unknown[] {
  const texts = file.endsWith(".md")
    ? [...text.matchAll(/^```(?:json|yaml)\n([^]*?)^```/gm)].map(([, block = ""]) => block)
    : [text];
  return texts.flatMap((one) =>
    parseAllDocuments(one, { customTags, merge: true, logLevel: "silent" }).map(
      (document) => document.toJS() as unknown,
    ),
  );
}

function conditionsIn(value: unknown): readonly Condition[] {
  if (typeof value !== "object" || value === null) return [];
  const found = Object.entries(value).flatMap(([name, member]) => [
    ...(name === "Condition" && typeof member === "object" ? [member as Condition] : []),
    ...conditionsIn(member),
  ]);
  return found.filter((condition, index) => found.indexOf(condition) === index);
}

const isForAll = (operator: string) => operator.startsWith("ForAllValues:");
const written = files.filter(({ text }) => /ForAllValues:\w+["']?:/.test(text));

test("every condition of all values asks that there is a value", () => {
  const conditions = written.flatMap((file) =>
    documentsOf(file).flatMap((document) =>
      conditionsIn(document).map((condition) => ({ file: file.file, condition })),
    ),
  );
  const open = conditions.flatMap(({ file, condition }) =>
    Object.entries(condition)
      .filter(([operator]) => isForAll(operator))
      .flatMap(([operator, keys]) => Object.keys(keys).map((key) => ({ file, operator, key, condition })))
      .filter(({ key, condition: { Null = {} } }) => Null[key] !== "false"),
  );
  expect(open).toEqual([]);
  // Each was found, whatever the file's form.
  const found = new Set(
    conditions.filter(({ condition }) => Object.keys(condition).some(isForAll)).map(({ file }) => file),
  );
  expect([...found].sort()).toEqual(written.map(({ file }) => file).sort());
  expect(written.map(({ file }) => file)).toEqual(
    expect.arrayContaining(["infra/roles.yml", "examples/team-policy.json", "examples/cloudformation/entries.yaml"]),
  );
});

test.each(["TickRole", "WatchRole"])("%s may write no item by a request that names no key", (role) => {
  const { Resources } = readYaml<{
    readonly Resources: Readonly<Record<string, { readonly Properties: { readonly Policies: readonly Policy[] } }>>;
  }>("infra/roles.yml");
  const statements = (Resources[role]?.Properties.Policies ?? [])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Condition }) => Condition !== undefined)
    .map((statement) => ({ ...statement, Resource: "table" }));
  expect(statements).toHaveLength(1);
  const call = { action: "dynamodb:PutItem", resource: "table" };
  const key = role === "TickRole" ? "SHARD" : "WATCH";
  expect(allowing(statements, { ...call, leadingKeys: [key] })).toHaveLength(1);
  expect(allowing(statements, { ...call, leadingKeys: ["CLUSTER#prod"] })).toEqual([]);
  expect(allowing(statements, call)).toEqual([]);
});

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}
