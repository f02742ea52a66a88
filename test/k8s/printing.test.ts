import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { describeHpa } from "../../cli/look/describe-hpa";
import { eventColumns, eventRow, wideEventColumns, wideEventRow } from "../../cli/look/print-events";
import { formatTable, getColumns, getRow } from "../../cli/shell/print/get-row";
import { humanDuration } from "../../lib/k8s/human-duration";

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

test("every recorded object is listed as kubectl lists it, except for its age", () => {
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

test("a table of several rows, with values that the recorded ones lack", () => {
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

test("a description with fields that the recorded ones lack", () => {
  const events = [
    {
      type: "Warning",
      reason: "FailedGetScale",
      message: "late \n",
      count: 1,
      firstTimestamp: now - 10_000,
      lastTimestamp: now - 10_000,
    },
    {
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "early",
      source: "hpa",
      count: 3,
      firstTimestamp: now - 600_000,
      lastTimestamp: now - 65_000,
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
    "  Type     Reason             Age                From                       Message",
    "  ----     ------             ----               ----                       -------",
    "  Normal   SuccessfulRescale  65s (x3 over 10m)  hpa                        early",
    "  Warning  FailedGetScale     10s                horizontal-pod-autoscaler  late",
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

const event = {
  type: "Warning",
  reason: "FailedGetScale",
  message: " no\nscale \n",
  count: 3,
  firstTimestamp: now - 600_000,
  lastTimestamp: now - 65_000,
  object: "horizontalpodautoscaler/web",
  name: "web.17a",
};

test("events as kubectl lists them: a message of several lines is cut, a time that was never written is unknown", () => {
  const { firstTimestamp: _, lastTimestamp: __, ...timeless } = event;
  const rows = [event, { ...timeless, message: "\x1b[1mbold", count: 0 }];
  expect(
    formatTable(
      eventColumns,
      rows.map((row) => eventRow(row, now)),
    ).split("\n"),
  ).toEqual([
    "LAST SEEN   TYPE      REASON           OBJECT                        MESSAGE",
    "65s         Warning   FailedGetScale   horizontalpodautoscaler/web   no...",
    "<unknown>   Warning   FailedGetScale   horizontalpodautoscaler/web   ^[[1mbold",
    "",
  ]);
  expect(rows.map((row) => wideEventRow(row, now).slice(4))).toEqual([
    ["", "horizontal-pod-autoscaler", "no\nscale", "10m", "3", "web.17a"],
    ["", "horizontal-pod-autoscaler", "\x1b[1mbold", "<unknown>", "1", "web.17a"],
  ]);
  expect(wideEventColumns.slice(4)).toEqual(["SUBOBJECT", "SOURCE", "MESSAGE", "FIRST SEEN", "COUNT", "NAME"]);
});

test("columns count characters, and long annotations are cut by bytes", () => {
  expect(formatTable(["A", "B"], [["größe😀é", "x"]]).split("\n")[1]).toBe("größe😀é   x");
  const annotated = { ...hpa, metadata: { name: "web", annotations: { long: `${"x".repeat(137)}éé`, esc: "\x1b" } } };
  const lines = describeHpa(annotated, [], now).split("\n");
  expect(lines.find((line) => line.includes("xxx"))?.trim()).toBe(`${"x".repeat(137)}\ufffd...`);
  expect(lines.find((line) => line.includes("esc"))).toMatch(/esc: \^\[$/);
});
