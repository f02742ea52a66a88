import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { HorizontalPodAutoscaler } from "../../lib/api/hpa";
import { describeHpa } from "../../lib/api/printing/describe-hpa";
import { formatTable, getColumns, getRow } from "../../lib/api/printing/get-row";
import { humanDuration } from "../../lib/api/printing/human-duration";

interface Vector {
  readonly id: string;
  readonly v2: HorizontalPodAutoscaler;
  readonly get: readonly [string, string];
  readonly describe: string;
}

const vectors = gunzipSync(readFileSync(join(__dirname, "../vectors/kubectl.jsonl.gz")))
  .toString("utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Vector);

const now = Date.parse("2026-11-21T08:00:00Z");

test("every recorded object is listed as kubectl lists it, but for the moment of its age", () => {
  const tables = vectors.map(({ v2 }) =>
    formatTable(getColumns, [getRow(v2, now)])
      .split("\n")
      .slice(0, 2),
  );
  expect(tables.map(([header, row]) => [header, withoutAge(row)])).toEqual(
    vectors.map(({ get: [header, row] }) => [header, withoutAge(row)]),
  );
  expect(tables).toHaveLength(150);
});

function withoutAge(row: string | undefined): string | undefined {
  return row?.replace(/\S+$/, "");
}

test("every recorded object is described as kubectl describes it", () => {
  expect(vectors.map(({ v2 }) => describeHpa(v2, [], now))).toEqual(vectors.map(({ describe }) => describe));
});

const hpa: HorizontalPodAutoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: {
    name: "web",
    namespace: "shop",
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      lines: "one\ntwo\n",
      long: "x".repeat(139),
    },
  },
  spec: {
    scaleTargetRef: { kind: "Deployment", name: "web" },
    maxReplicas: 3,
    metrics: [
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "app", target: { type: "Utilization" } },
      },
      {
        type: "ContainerResource",
        containerResource: { name: "memory", container: "app", target: { type: "AverageValue", averageValue: "1Gi" } },
      },
      { type: "Bogus" },
    ],
    behavior: { scaleUp: { policies: [], stabilizationWindowSeconds: 5 }, scaleDown: { policies: [] } },
  },
  status: {
    currentMetrics: [
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "app", current: { averageUtilization: 40 } },
      },
      { type: "ContainerResource", containerResource: { name: "memory", container: "app", current: {} } },
    ],
  },
};

test("a table of several rows, with what the recorded ones do not have", () => {
  const young = {
    ...hpa,
    metadata: { name: "a", creationTimestamp: "2026-11-21T07:59:30Z" },
    spec: { ...hpa.spec, metrics: [] },
  };
  expect(formatTable(getColumns, [getRow(hpa, now), getRow(young, now)]).split("\n")).toEqual([
    "NAME   REFERENCE        TARGETS                                          MINPODS   MAXPODS   REPLICAS   AGE",
    "web    Deployment/web   cpu: 40%/<auto>, memory: <nil>/1Gi + 1 more...   <unset>   3         0          <unknown>",
    "a      Deployment/web   <none>                                           <unset>   3         0          30s",
    "",
  ]);
});

test("a description with what the recorded ones do not have", () => {
  const events = [
    { type: "Warning", reason: "FailedGetScale", message: "late \n", from: "hpa", at: now - 10_000 },
    {
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "early",
      from: "hpa",
      at: now - 65_000,
      count: 3,
      firstAt: now - 600_000,
    },
  ];
  expect(describeHpa(hpa, events, now).split("\n")).toEqual([
    "Name:                                                                     web",
    "Namespace:                                                                shop",
    "Labels:                                                                   <none>",
    "Annotations:                                                              lines:",
    "                                                                            one",
    "                                                                            two",
    "                                                                          long:",
    `                                                                            ${"x".repeat(138)}...`,
    "CreationTimestamp:                                                        Mon, 01 Jan 0001 00:00:00 +0000",
    "Reference:                                                                Deployment/web",
    "Metrics:                                                                  ( current / target )",
    '  resource cpu of container "app" on pods  (as a percentage of request):  40% (<nil>) / <auto>',
    '  resource memory of container "app" on pods:                             <nil> / 1Gi',
    '  <unknown metric type "Bogus">',
    "Min replicas:  <unset>",
    "Max replicas:  3",
    "Behavior:",
    "  Scale Up:",
    "    Stabilization Window: 5 seconds",
    "  Scale Down:",
    "Deployment pods:  0 current / 0 desired",
    "Events:",
    "  Type     Reason             Age                From  Message",
    "  ----     ------             ----               ----  -------",
    "  Normal   SuccessfulRescale  65s (x3 over 10m)  hpa   early",
    "  Warning  FailedGetScale     10s                hpa   late",
    "",
  ]);
});

test.each<[number, string]>([
  [-5, "<invalid>"],
  [-1, "0s"],
  [0, "0s"],
  [119, "119s"],
  [120, "2m"],
  [310, "5m10s"],
  [600, "10m"],
  [10_799, "179m"],
  [10_800, "3h"],
  [11_100, "3h5m"],
  [28_800, "8h"],
  [172_800, "2d"],
  [187_200, "2d4h"],
  [691_200, "8d"],
  [63_072_000, "2y"],
  [63_158_400, "2y1d"],
  [252_288_000, "8y"],
])("%d seconds are %s", (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text);
});
