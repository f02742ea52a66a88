import type { EntryKind } from "../../../lib/model/entry/kinds";
import { annotationErrors, isPaused, readOperations, type Operations } from "../../../lib/model/entry/annotations";

const noon = Date.parse("2026-03-01T12:00:00Z");
const paused = "ebb.dev/paused";
const until = "ebb.dev/paused-until";
const dryRun = "ebb.dev/dry-run";

test.each<[string, Record<string, string> | undefined, Operations]>([
  ["no annotations", undefined, { paused: false, dryRun: false }],
  ["others' annotations", { "example.com/paused": "yes" }, { paused: false, dryRun: false }],
  ["paused", { [paused]: "true" }, { paused: true, dryRun: false }],
  ["resumed", { [paused]: "false" }, { paused: false, dryRun: false }],
  ["paused until noon", { [until]: "2026-03-01T12:00:00Z" }, { paused: { until: noon }, dryRun: false }],
  ["in another zone", { [until]: "2026-03-01T14:00:00.5+02:00" }, { paused: { until: noon + 500 }, dryRun: false }],
  [
    "paused, and until noon: the stricter one",
    { [paused]: "true", [until]: "2026-03-01T12:00:00Z" },
    { paused: true, dryRun: false },
  ],
  [
    "not paused, yet until noon: the stricter one",
    { [paused]: "false", [until]: "2026-03-01T12:00:00Z" },
    { paused: { until: noon }, dryRun: false },
  ],
  ["a dry run", { [dryRun]: "true" }, { paused: false, dryRun: true }],
  ["woken fast", { "ebb.dev/wake": "fast" }, { paused: false, dryRun: false, wake: "fast" }],
  ["woken by its slots", { "ebb.dev/wake": "slot" }, { paused: false, dryRun: false, wake: "slot" }],
  ["a dry run that is paused", { [dryRun]: "true", [paused]: "true" }, { paused: true, dryRun: true }],
])("%s", (_, annotations, operations) => {
  expect(readOperations(annotations === undefined ? {} : { annotations })).toEqual(operations);
});

test.each<[Record<string, string>, readonly string[]]>([
  [{ [paused]: "yes" }, ['metadata.annotations[ebb.dev/paused]: Invalid value: "yes": must be "true" or "false"']],
  [{ [paused]: "" }, ['metadata.annotations[ebb.dev/paused]: Invalid value: "": must be "true" or "false"']],
  [{ "ebb.dev/wake": "Fast" }, ['metadata.annotations[ebb.dev/wake]: Invalid value: "Fast": must be "fast" or "slot"']],
  [{ [dryRun]: "True" }, ['metadata.annotations[ebb.dev/dry-run]: Invalid value: "True": must be "true" or "false"']],
  [
    { [until]: "tomorrow" },
    [
      'metadata.annotations[ebb.dev/paused-until]: Invalid value: "tomorrow": must be an RFC 3339 time such as 2026-03-01T12:00:00Z',
    ],
  ],
])("%j names its field", (annotations, errors) => {
  expect(readOperations({ annotations })).toEqual({ errors });
});

test("all that is wrong is said at once", () => {
  expect(readOperations({ annotations: { [paused]: "1", [until]: "2h", [dryRun]: "on" } })).toEqual({
    errors: [paused, until, dryRun].map((name) => expect.stringContaining(`metadata.annotations[${name}]`) as string),
  });
});

test.each<[Operations["paused"], number, boolean]>([
  [true, noon, true],
  [false, noon, false],
  [{ until: noon }, noon - 1, true],
  [{ until: noon }, noon, false],
])("paused %j at %d: %s", (paused, now, expected) => {
  expect(isPaused({ paused, dryRun: false }, now)).toBe(expected);
});

const known =
  'expected "ebb.dev/paused", "ebb.dev/paused-until", "ebb.dev/dry-run", "ebb.dev/metric-rules", "ebb.dev/zero", "ebb.dev/busy", "ebb.dev/spare-busy", "ebb.dev/spare-busy-for", "ebb.dev/adopt-zero", "ebb.dev/sync-period", "ebb.dev/wake", "ebb.dev/history" or "ebb.dev/cluster"';

test.each<[Record<string, string>, string]>([
  [{ "ebb.dev/pause": "true" }, 'unknown annotation of ebb, did you mean "ebb.dev/paused"?'],
  [{ "ebb.dev/pausd-until": "2026-03-01T12:00:00Z" }, 'did you mean "ebb.dev/paused-until"?'],
  [{ "ebb.dev/dryrun": "true" }, 'did you mean "ebb.dev/dry-run"?'],
  [{ "ebb.dev/Paused": "true" }, 'did you mean "ebb.dev/paused"?'],
  [{ "EBB.dev/paused": "true" }, 'did you mean "ebb.dev/paused"?'],
  [{ "ebb.dev/sync-periods": "30s" }, 'did you mean "ebb.dev/sync-period"?'],
  [{ "ebb.dev/owner": "me" }, `unknown annotation of ebb, ${known}`],
  [{ "ebb.dev/cluster": "" }, "must be a cluster's name"],
  [{ "ebb.dev/cluster": "a#b" }, "must be a cluster's name"],
  [{ "ebb.dev/adopt-zero": "true" }, "must be as `ebb adopt hpa NAME` writes it: the target's uid/resourceVersion"],
  [{ "ebb.dev/adopt-zero": "a/b/c" }, "must be as `ebb adopt hpa NAME` writes it"],
])("%j is refused, with what was meant", (annotations, text) => {
  const [name = "", value] = Object.entries(annotations)[0] ?? [];
  const [error, ...more] = annotationErrors("HorizontalPodAutoscaler", { annotations });
  expect(more).toEqual([]);
  expect(error?.path).toBe(`metadata.annotations[${name}]`);
  expect(error?.text).toContain(text);
  expect(error?.text).toContain(JSON.stringify(value));
  expect(readOperations({ annotations })).toEqual({ errors: [error?.text] });
});

test("annotations of others, and of ebb.dev's subdomains, are none of ebb's", () => {
  const annotations = { pause: "x", "ebb.dev": "x", "x.ebb.dev/pause": "x", "ebb.develop/pause": "x" };
  expect(annotationErrors("HorizontalPodAutoscaler", { annotations })).toEqual([]);
});

test.each<[EntryKind, string, readonly unknown[]]>([
  [
    "Cluster",
    paused,
    [expect.stringMatching(/has no effect on a Cluster: only a HorizontalPodAutoscaler can have it/)],
  ],
  ["MetricSource", until, [expect.stringMatching(/has no effect on a MetricSource: only a HorizontalPodAutoscaler/)]],
  ["Cluster", "ebb.dev/cluster", []],
  ["MetricSource", "ebb.dev/cluster", []],
])("a %s with %s", (kind, name, errors) => {
  const annotations = { [name]: name === "ebb.dev/cluster" ? "prod" : "true" };
  expect(annotationErrors(kind, { annotations }).map(({ text }) => text)).toEqual(errors);
});
