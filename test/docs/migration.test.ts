import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createSourceFile,
  forEachChild,
  isCallExpression,
  isStringLiteralLike,
  type Node,
  ScriptTarget,
} from "typescript";
import { parseAllDocuments, stringify } from "yaml";
import { generateStories } from "../../parity/keda/generate-stories";
import { readRecording } from "../../parity/keda/recording";
import { settingsPage } from "../cli/keda-settings/settings-page";
import { tableForTests } from "../cli/table";
import { descriptions } from "../../lib/sources/descriptions";

/** What the pages about a migration say in sentences: each is shown here, or by the test that it names. */
const { run, file, register } = tableForTests();
const read = (path: string) => readFileSync(join(__dirname, "../..", path), "utf8");
const guide = "docs/how-to/migrate-from-keda.md";

type Proof = (() => void | Promise<void>) | readonly [file: string, title: string];

const redis = { type: "redis", name: "jobs", metadata: { address: "r.example:6379", listName: "jobs" } };
const object = (more: object = {}, kind = "ScaledObject") => ({
  apiVersion: "keda.sh/v1alpha1",
  kind,
  metadata: { name: "web", namespace: "shop" },
  spec: { scaleTargetRef: { name: "web" }, triggers: [redis], ...more },
});

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly kind?: string };
}

async function imported(...objects: readonly object[]) {
  const path = await file(objects.map((one) => stringify(one)).join("---\n"));
  const { stdout, stderr } = await run(["import", "keda", path]);
  const documents = parseAllDocuments(stdout).map((one) => one.toJS() as Document | null);
  return { stdout, stderr, documents: documents.flatMap((one) => one ?? []) };
}

const ofSteps = ["test/parity/keda-steps.test.ts", "an imported object takes KEDA's steps"] as const;
const ofGuide = ["test/e2e/how-to.test.ts", "the pages beside one demo, one after another"] as const;
const ofRefusals = [
  "test/cli/import-keda-cases/refused-by-keda.test.ts",
  "the import refuses what KEDA refuses, and has its targets",
] as const;
const ofSettings = ["test/cli/import-keda.test.ts", "is on the page of KEDA's settings: npm run docs"] as const;
const ofZero = ["test/cli/import-keda-cases/zero.test.ts", "is carried, so that ebb wakes it"] as const;

const proofs: Readonly<Record<string, Proof>> = {
  "What becomes of each setting.": ofSettings,
  "- `a` → `b`: the import writes it as `b`.": ofSettings,
  "Without an arrow or a remark, a setting keeps its name.": ofSettings,
  async "- `activation` and `fallback` are rules of the metric, and `target` is the metric's."() {
    const metadata = { ...redis.metadata, activationListLength: "3", listLength: "7" };
    const fallback = { failureThreshold: 3, replicas: 2 };
    const { stdout } = await imported(object({ fallback, triggers: [{ ...redis, metadata }] }));
    expect(stdout).toMatch(/kind: MetricSource[^]*activation: "3"\n {2}fallback:\n {4}after: 30/);
    expect(stdout).toMatch(/target:\n +averageValue: "7"/);
  },
  '- "auth" names settings of a TriggerAuthentication.': ofSettings,
  async "- Any other trigger becomes a source that nothing reads yet: the HPA never scales down."() {
    const { documents, stderr } = await imported(object({ triggers: [{ type: "mysql", metadata: { query: "q" } }] }));
    const kinds = documents.map(({ spec }) => spec.kind ?? "");
    expect(kinds.filter((kind) => kind !== "" && !Object.hasOwn(descriptions, kind))).toEqual(["mysql"]);
    expect(stderr).toContain("the HPA never scales down until one can");
  },
  "KEDA's own scale loop and the HPA that it makes were asked about 1,000 generated ScaledObjects, at 50 instants each (decision 0093)."() {
    const { seed, answers } = readRecording();
    expect(answers).toHaveLength(1_000);
    expect(new Set(answers.map(({ told }) => told.steps.length))).toEqual(new Set([50]));
    expect(generateStories(seed, 3).map(({ steps }) => steps.length)).toEqual([50, 50, 50]);
  },
  "An imported object takes the same steps, but for these:": ofSteps,
  async "`ebb import keda` makes an HPA of each ScaledObject, and sources where triggers need them."() {
    const sqs = { type: "aws-sqs-queue", metadata: { queueURL: "orders", awsRegion: "eu-west-1" } };
    const other = { ...object({ triggers: [sqs] }), metadata: { name: "other" } };
    const { documents } = await imported(object(), other);
    expect(documents.map(({ kind }) => kind)).toEqual([
      "HorizontalPodAutoscaler",
      "MetricSource",
      "HorizontalPodAutoscaler",
    ]);
  },
  "It says what will differ, also in a comment above each entry.": [
    "test/cli/import-keda.test.ts",
    "the command prints YAML that says what is not carried over, and warns of it",
  ],
  "Without files, it reads the ScaledObjects of a registered cluster (`ebb import keda -A --cluster prod`).": [
    "test/cli/import-hpa.test.ts",
    "ScaledObjects of a cluster, and of a registered one",
  ],
  "Two controllers on one workload undo each other's work, so keep to this order.": ofGuide,
  "**1. Convert it, as a dry run:**": ofGuide,
  "**2. Apply the result,** after you read it.": ofGuide,
  "**3. Compare.** In a dry run, ebb decides and records, but never scales:": ofGuide,
  "After a day, compare what both did:": ofGuide,
  "**4. Take KEDA off the workload.** This also deletes KEDA's HPA.": ofGuide,
  async "The workload keeps its size, if you first take out a `restoreToOriginalReplicaCount: true`:"() {
    const { stderr } = await imported(object({ advanced: { restoreToOriginalReplicaCount: true } }));
    expect(stderr).toContain("Take it out before you delete the ScaledObject: KEDA would set the size");
  },
  "KEDA's own scalers were asked about every setting without a value, and with others.": ofRefusals,
  "The import refuses what they refuse, and gives the HPA their target, but for these:": ofRefusals,
  "**5. End the dry run.** From now on, ebb scales the workload:": ofGuide,
  "**6. Look for zeros that will not wake.** ebb wakes what KEDA left at zero if the import read the object's status, or the dry run saw it happen.":
    ofZero,
  "`ebb status` names the others:": ["test/cli/states.test.ts", "status counts them"],
  "Unasked, ebb ends nobody's zero.": [
    "test/sync/adopt-zero.test.ts",
    "a person's zero after an adopted one stays theirs",
  ],
  "Take `replicas: 0` out of manifests that GitOps applies.": [
    "test/sync/adopt-zero.test.ts",
    "makes no later zero of a person ebb's, if the target runs by then",
  ],
  "KEDA's settings lists every trigger that ebb reads, and what becomes of each setting.": [
    "test/cli/import-keda.test.ts",
    "is listed for every trigger that a kind reads",
  ],
  async "The import's last line counts what it converted, lost, held or refused."() {
    const named = (name: string, more: object) => ({
      ...object({ scaleTargetRef: { name }, ...more }),
      metadata: { name },
    });
    const unread = { triggers: [{ type: "mysql", metadata: {} }] };
    const loss = { advanced: { restoreToOriginalReplicaCount: true } };
    const all = [named("a", {}), named("b", loss), named("c", unread), named("d", { triggers: [] })];
    expect((await imported(...all)).stderr.trimEnd().split("\n").at(-1)).toBe(
      "1 converted completely, 1 with a loss, 1 held, 1 refused",
    );
  },
  async "- **Zero** stays KEDA's: `ebb.dev/zero` lets the triggers' activity decide about it, after `cooldownPeriod`, whatever CPU, memory, policies and windows say."() {
    const cpu = { type: "cpu", metricType: "Utilization", metadata: { value: "50" } };
    const behavior = { scaleDown: { selectPolicy: "Disabled" } };
    const advanced = { horizontalPodAutoscalerConfig: { behavior } };
    const { documents } = await imported(object({ cooldownPeriod: 40, advanced, triggers: [redis, cpu] }));
    const { annotations = {} } = documents[0]?.metadata ?? {};
    expect(JSON.parse(annotations["ebb.dev/zero"] ?? "")).toEqual({ after: "40s", initialAfter: "40s" });
  },
  "Some steps differ.": ofSteps,
  async "- `advanced.scalingModifiers` become a formula."() {
    const { documents } = await imported(
      object({ advanced: { scalingModifiers: { formula: "jobs * 2", target: "4" } } }),
    );
    expect(documents.map(({ spec }) => spec.kind)).toEqual([undefined, "redis", "formula"]);
  },
  "- **Credentials** are never carried over; they belong into a secret in AWS.": [
    "test/cli/import-keda-cases/credentials.test.ts",
    "no credential of 500 ScaledObjects comes out anywhere",
  ],
  "Give the import the TriggerAuthentications, too, and it says where each is.": [
    "test/cli/import-keda.test.ts",
    "a TriggerAuthentication in the same file says where the credentials are",
  ],
  async "- A **ScaledJob** is left out with a warning: keep KEDA for it."() {
    const { stderr, documents } = await imported(object({}, "ScaledJob"));
    expect(documents).toEqual([]);
    expect(stderr).toContain("Warning: ScaledJob shop/web is left out: it starts Jobs");
  },
  async "- `ebb apply --import-keda` converts as it applies."() {
    await register("prod");
    const path = await file(stringify(object()));
    const { stdout } = await run(["apply", "--import-keda", "-f", path, "--cluster", "prod"]);
    expect(stdout).toContain("horizontalpodautoscaler.autoscaling/web created");
  },
};

/** Without code blocks, headings and the targets of links. A step's number ends no sentence. */
function sentencesOf(text: string): readonly string[] {
  const plain = text.replace(/^ *```[^]*?^ *```$/gm, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  const parts = plain.split(/\n\s*\n|\n(?=- )/).map((part) => part.replace(/\s+/g, " ").trim());
  return parts
    .filter((part) => part !== "" && !part.startsWith("#") && !part.startsWith("<!--"))
    .flatMap((part) => part.split(/(?<!\*\d\.|Compare\.|workload\.|run\.|wake\.\*\*|KEDA's:)(?<=[.:])\s+(?=[A-Z`*])/));
}

const between = (text: string, from: string, to: string) => text.slice(text.indexOf(from), text.indexOf(to));
const settings = read(settingsPage);
const sentences = [
  ...sentencesOf(between(settings, "What becomes of each", "## ScaledObject")),
  ...sentencesOf(between(settings, "KEDA's own scale loop", "- **A wake")),
  ...sentencesOf(between(settings, "KEDA's own scalers", "- **A value that no server")),
  ...sentencesOf(read(guide).slice(read(guide).indexOf("`ebb import keda` makes"))),
].filter((sentence) => !sentence.startsWith("Migrate from KEDA has"));

test("every sentence about a migration has its proof, and every proof its sentence", () => {
  expect([...sentences].sort()).toEqual(Object.keys(proofs).sort());
});

/** The titles of a file's tests, without those that are skipped. A group's is before its tests'. */
function titlesOf(path: string): readonly string[] {
  const file = createSourceFile(path, read(path), ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: Node): void => {
    const isRun =
      isCallExpression(node) && /^(test|describe)(\.concurrent)?(\.each\b[^]*)?$/.test(node.expression.getText());
    const [title] = isRun ? node.arguments : [];
    if (title !== undefined && isStringLiteralLike(title)) found.push(title.text);
    if (!isCallExpression(node) || !/^(test|describe)\.(skip|todo)/.test(node.expression.getText()))
      forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test("only the title of a test that is run is a proof", () => {
  expect(titlesOf("test/e2e/how-to.test.ts")).not.toContainEqual(expect.stringContaining("Every page of docs/how-to"));
  expect(titlesOf("test/e2e/how-to.test.ts")).toContain(ofGuide[1]);
  expect(titlesOf("test/docs/migration.test.ts")).toContain(
    "every sentence about a migration has its proof, and every proof its sentence",
  );
});

test.each(Object.entries(proofs))("%s", async (_, proof) => {
  if (typeof proof === "function") await proof();
  else expect(titlesOf(proof[0])).toContainEqual(expect.stringContaining(proof[1]));
});
