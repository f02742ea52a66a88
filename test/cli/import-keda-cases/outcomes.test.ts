import { parseAllDocuments, stringify } from "yaml";
import { noteLines, conversionOf, conversionsText } from "../../../cli/set-up/import/keda/left-over";
import { tableForTests } from "../table";

const { run, file } = tableForTests();

const object = (name: string, spec: object) => ({
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name, namespace: "shop" },
  spec: { scaleTargetRef: { name }, ...spec },
});
const cron = {
  type: "cron",
  metadata: { timezone: "UTC", start: "0 8 * * *", end: "0 18 * * *", desiredReplicas: "3" },
};
const prometheus = (more: object) => ({
  type: "prometheus",
  metadata: { serverAddress: "https://prom.example", query: "jobs", threshold: "5", ...more },
});

/** The lines on stderr about objects, and the last one. */
async function imported(...objects: readonly object[]) {
  const path = await file(objects.map((one) => stringify(one)).join("---\n"));
  const { stderr, exitCode } = await run(["import", "keda", path]);
  const lines = stderr.trimEnd().split("\n");
  return { said: lines.filter((line) => line.includes(": ScaledObject shop/")), last: lines.at(-1), exitCode };
}

test("what makes no difference is one line; what does has a line each, the worst first", async () => {
  const { said } = await imported(
    object("a", {
      pollingInterval: 5,
      cooldownPeriod: 700_000,
      triggers: [
        { ...prometheus({ metricName: "m", timeout: "9000", authModes: "bearer" }), useCachedMetrics: true },
        { type: "mysql", metadata: { query: "q" } },
      ],
    }),
  );
  expect(said.map((line) => line.replace("Warning: ScaledObject shop/a: ", ""))).toEqual([
    "spec.triggers[1] has 1 as a placeholder for its target: set the real one",
    expect.stringMatching(/^spec\.triggers\[1\] needs a source of kind "mysql"/),
    "spec.cooldownPeriod waits 604800 s before zero, the longest that ebb allows, instead of 700000 s",
    "spec.triggers[0].metadata.timeout was 9000: timeoutSeconds is 7, of whole seconds from 1 to 7",
    expect.stringMatching(/^spec\.triggers\[0\]\.metadata\.authModes is not carried over: write the credential/),
    "no difference without spec.pollingInterval, spec.triggers[0].metadata.metricName, spec.triggers[0].useCachedMetrics",
  ]);
});

test("the last line counts what was converted completely, with a loss, held and refused", async () => {
  const { last, exitCode } = await imported(
    ...["a", "b"].map((name) => object(name, { pollingInterval: 5, triggers: [cron] })),
    object("c", { triggers: [prometheus({ timeout: "9000" })] }),
    object("d", { triggers: [{ type: "mysql", metadata: { query: "q" } }] }),
    object("e", { triggers: [] }),
    object("f", { maxReplicaCount: 0, triggers: [cron] }),
  );
  expect(last).toBe("2 converted completely, 1 with a loss, 1 held, 2 refused");
  expect(exitCode).toBe(1);
  expect(await imported(object("a", { triggers: [cron] }))).toMatchObject({
    last: "1 converted completely",
    exitCode: 0,
  });
});

test("a step that a person has to do is no loss, and hostile text is one line", () => {
  const step = { field: "a", text: "put it\ninto a secret", harm: "step" } as const;
  expect(noteLines([{ field: "b", text: "", harm: "none" }, step])).toEqual([
    "a put it into a secret",
    "no difference without b",
  ]);
  expect([conversionOf([]), conversionOf([step]), conversionOf([step, { ...step, harm: "zero" }])]).toEqual([
    "completely",
    "completely",
    "loss",
  ]);
  expect(conversionsText([])).toBe("");
});

test("a cron trigger keeps one replica for 0, and is 1 outside of its window in a formula, as in KEDA", async () => {
  const one = { ...cron, name: "office", metadata: { ...cron.metadata, desiredReplicas: "0" } };
  const parametersOf = async (spec: object) => {
    const path = await file(stringify(object("a", { triggers: [one], ...spec })));
    const { stdout } = await run(["import", "keda", path]);
    return parseAllDocuments(stdout).map((document) => document.toJS() as { readonly spec: object })[1]?.spec;
  };
  expect(await parametersOf({})).toMatchObject({ parameters: { value: 1 } });
  expect(await parametersOf({})).not.toMatchObject({ parameters: { outside: 1 } });
  const formula = { scalingModifiers: { formula: "office * 2", target: "1" } };
  expect(await parametersOf({ advanced: formula })).toMatchObject({ kind: "schedule", parameters: { outside: 1 } });
});

test("two ScaledObjects of one workload: the second is refused, as KEDA's webhook does", async () => {
  const of = (name: string, target: object) => object(name, { scaleTargetRef: target, triggers: [cron] });
  const other = { ...of("other", { name: "web" }), metadata: { name: "other", namespace: "elsewhere" } };
  const { said, last, exitCode } = await imported(
    of("first", { name: "web" }),
    of("second", { apiVersion: "apps/v1", kind: "Deployment", name: "web" }),
    of("third", { kind: "StatefulSet", name: "web" }),
    other,
  );
  expect(said).toEqual([
    "Warning: ScaledObject shop/second: spec.scaleTargetRef: expected a workload that no other ScaledObject scales, got Deployment web, as ScaledObject shop/first has",
  ]);
  expect([last, exitCode]).toEqual(["3 converted completely, 1 refused", 1]);
});

test("a template's empty authenticationRef is none", async () => {
  const { said, last } = await imported(object("web", { triggers: [{ ...prometheus({}), authenticationRef: null }] }));
  expect([said, last]).toEqual([[], "1 converted completely"]);
});
