import { busyRuleOf, ignoresCosts } from "../../../lib/model/entry/busy-rule";
import { validateHpaEntry } from "../../../lib/model/entry/validate-hpa-entry";
import { hpaWith } from "../../core/build";

function hpaOf(annotations: Readonly<Record<string, string>>) {
  const hpa = hpaWith();
  return { ...hpa, metadata: { ...hpa.metadata, annotations } };
}

test.each([
  ["annotation: worker.example/busy", { kind: "annotation", name: "worker.example/busy" }],
  ["annotation:Busy", { kind: "annotation", name: "Busy" }],
  ["metric: jobs_running", { kind: "metric", name: "jobs_running" }],
  ["http: :8080/busy", { kind: "http", port: 8_080, path: "/busy" }],
  ["http: :65535/a/b?c=%20d", { kind: "http", port: 65_535, path: "/a/b?c=%20d" }],
])("%s", (text, source) => {
  expect(validateHpaEntry(hpaOf({ "ebb.dev/busy": text })).errors).toEqual([]);
  expect(busyRuleOf(hpaOf({ "ebb.dev/busy": text }))).toEqual({ source, spares: false });
});

test("busy pods are spared, and for how long", () => {
  const annotations = { "ebb.dev/busy": "metric: jobs", "ebb.dev/spare-busy": "true", "ebb.dev/spare-busy-for": "2h" };
  expect(validateHpaEntry(hpaOf(annotations)).errors).toEqual([]);
  expect(busyRuleOf(hpaOf(annotations))).toEqual({
    ...{ source: { kind: "metric", name: "jobs" }, spares: true, spareForMs: 7_200_000 },
  });
});

const forms = "must be annotation: NAME, metric: NAME or http: :PORT/PATH";

test.each<[Readonly<Record<string, string>>, string]>([
  [{ "ebb.dev/busy": "" }, forms],
  [{ "ebb.dev/busy": "worker.example/busy" }, forms],
  [{ "ebb.dev/busy": "annotation:" }, forms],
  [{ "ebb.dev/busy": "annotation: two names" }, forms],
  [{ "ebb.dev/busy": "https: :8080/busy" }, forms],
  [{ "ebb.dev/busy": "annotation: -x" }, "annotation: name part must consist of alphanumeric characters"],
  [{ "ebb.dev/busy": "annotation: a/b/c" }, "annotation: a valid label key"],
  [{ "ebb.dev/busy": "annotation: ebb.dev/zero" }, "annotation: expected an annotation of your own, got ebb.dev/zero"],
  [{ "ebb.dev/busy": "annotation: controller.kubernetes.io/pod-deletion-cost" }, "expected an annotation of your own"],
  [{ "ebb.dev/busy": "metric: a/b" }, "may not contain '/'"],
  [{ "ebb.dev/busy": "metric: .." }, "may not be '..'"],
  [{ "ebb.dev/busy": "http: 8080/busy" }, "http: expected a port and a path without . and .. as segments, such as"],
  [{ "ebb.dev/busy": "http: :0/busy" }, "http: expected a port"],
  [{ "ebb.dev/busy": "http: :65536/busy" }, "http: expected a port"],
  [{ "ebb.dev/busy": "http: :8080" }, "http: expected a port"],
  [{ "ebb.dev/busy": "http: :8080/../secret" }, "http: expected a port"],
  [{ "ebb.dev/busy": "http: :8080/a%2Fb" }, "http: expected a port"],
  [{ "ebb.dev/busy": "http: :8080/\u00e9" }, "http: expected a port"],
  [{ "ebb.dev/spare-busy": "yes" }, 'must be "true" or "false"'],
  [{ "ebb.dev/spare-busy": "true" }, "needs ebb.dev/busy, which says how busy pods are found"],
  [{ "ebb.dev/busy": "metric: a", "ebb.dev/spare-busy-for": "2h" }, 'needs ebb.dev/spare-busy to be "true"'],
  ...["0s", "1ms", "-1s", "169h", "90", ""].map((text): [Readonly<Record<string, string>>, string] => [
    { "ebb.dev/busy": "metric: a", "ebb.dev/spare-busy": "true", "ebb.dev/spare-busy-for": text },
    "must be whole seconds from 1s to 168h, such as 30m or 2h",
  ]),
])("%j: %s", (annotations, expected) => {
  expect(validateHpaEntry(hpaOf(annotations)).errors.join("\n")).toContain(expected);
});

test("a rule that `apply` refuses is none", () => {
  expect(busyRuleOf(hpaOf({ "ebb.dev/busy": "never" }))).toBeUndefined();
  expect(busyRuleOf(hpaOf({ "ebb.dev/busy": "metric: a", "ebb.dev/spare-busy-for": "2h" }))).toBeUndefined();
  expect(busyRuleOf(hpaOf({}))).toBeUndefined();
});

test("what does not spare busy pods may be written down", () => {
  const annotations = { "ebb.dev/spare-busy": "false" };
  expect(validateHpaEntry(hpaOf(annotations)).errors).toEqual([]);
});

test.each([
  ["apps/v1", "Deployment", undefined],
  ["apps/v1", "ReplicaSet", undefined],
  ["v1", "ReplicationController", undefined],
  ["argoproj.io/v1alpha1", "Rollout", undefined],
  ["apps/v1", "StatefulSet", "a StatefulSet removes its highest ordinal first, whichever pod is busy"],
  ["example.com/v1", "Worker", "ebb does not know whether a Worker removes pods by their deletion cost"],
  ["example.com/v1", "Deployment", "ebb does not know whether a Deployment removes"],
])("%s %s", (apiVersion, kind, expected) => {
  const found = ignoresCosts(hpaWith({ scaleTargetRef: { apiVersion, kind, name: "web" } }));
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found?.because).toContain(expected);
});
