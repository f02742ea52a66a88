import { emptyLog } from "../../lib/model/stored/event-log";
import { correlate } from "../../lib/sync/events/cached-event-log";
import { fromItem } from "../../lib/table/items/attributes";
import { encodeEvents } from "../../lib/table/items/hpa-items";
import { tableForTests } from "./table";

const { byHand, run } = tableForTests();
const noon = Date.parse("2026-03-01T12:00:00Z");

beforeAll(async () => {
  const metadata = { creationTimestamp: "2026-03-01T08:00:00Z", labels: { team: "a" } };
  await byHand({
    pk: "CLUSTER#prod",
    sk: "CLUSTER",
    metadata,
    spec: {
      endpoint: "https://prod.example",
      auth: { type: "eks", clusterName: "prod", region: "eu-central-1" },
      options: { tolerance: 0.2 },
    },
  });
  await byHand({
    pk: "CLUSTER#prod",
    sk: "SOURCE#lag",
    spec: { kind: "sqs", parameters: { queue: "q", weights: [1] } },
  });
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#odd", spec: { kind: "" } });
  for (const name of ["web", "orders"]) {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
    await byHand({ pk: "CLUSTER#prod", sk: `HPA#default/${name}`, metadata, spec: { scaleTargetRef, maxReplicas: 3 } });
  }
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#default/zero", spec: { maxReplicas: 0 } });
  let log = emptyLog;
  for (const at of [noon - 600_000, noon - 300_000]) {
    const event = { type: "Warning", reason: "FailedGetScale", message: "no scale", name: `web.${at}` } as const;
    log = correlate(log, event, at).log;
  }
  const rescaled = { type: "Normal", reason: "SuccessfulRescale", message: "New size: 3", name: "web.2" } as const;
  log = correlate(log, rescaled, noon - 60_000).log;
  await byHand(fromItem(encodeEvents("prod", "default/web", { version: 1, log })));
});

const web = `Name:                                                  web
Namespace:                                             default
Labels:                                                team=a
Annotations:                                           <none>
CreationTimestamp:                                     Sun, 01 Mar 2026 08:00:00 +0000
Reference:                                             Deployment/web
Metrics:                                               ( current / target )
  resource cpu on pods  (as a percentage of request):  <unknown> / 80%
Min replicas:                                          1
Max replicas:                                          3
Deployment pods:                                       0 current / 0 desired
`;
const events = `Events:
  Type     Reason             Age               From                       Message
  ----     ------             ----              ----                       -------
  Warning  FailedGetScale     5m (x2 over 10m)  horizontal-pod-autoscaler  no scale
  Normal   SuccessfulRescale  60s               horizontal-pod-autoscaler  New size: 3
`;

test.each<[string, object]>([
  ["describe hpa web", { stdout: web + events, stderr: "", exitCode: 0 }],
  ["describe hpa/web --no-show-events", { stdout: web }],
  ["describe horizontalpodautoscalers.v1.autoscaling web --no-show-events", { stdout: web }],
  ["describe hpa web orders", { stdout: `${web}\n\n${web.replace(/web/g, "orders")}` }],
  [
    "describe hpa web x",
    {
      stdout: web,
      stderr: 'Error from server (NotFound): horizontalpodautoscalers.autoscaling "x" not found\n',
      exitCode: 1,
    },
  ],
  [
    "describe hpa zero",
    {
      stdout: `Name:       zero
Namespace:  default
Invalid:    spec.maxReplicas: Invalid value: 0: must be greater than or equal to \`minReplicas\`
            spec.scaleTargetRef.kind: Required value
            spec.scaleTargetRef.name: Required value
            spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group
            spec.maxReplicas: Required value
`,
    },
  ],
  [
    "describe cluster prod",
    {
      stdout: `Name:                              prod
Labels:                            team=a
Annotations:                       <none>
CreationTimestamp:                 Sun, 01 Mar 2026 08:00:00 +0000
Endpoint:                          https://prod.example
Certificate authority:             <system roots>
Auth:                              eks
  clusterName:                     prod
  region:                          eu-central-1
Options:
  syncPeriodSeconds:               15
  tolerance:                       0.2
  downscaleStabilizationSeconds:   300
  cpuInitializationPeriodSeconds:  300
  initialReadinessDelaySeconds:    30
HPAs:                              3
Metric sources:                    2
`,
    },
  ],
  [
    "describe source lag",
    {
      stdout: `Name:               lag
Cluster:            prod
Labels:             <none>
Annotations:        <none>
CreationTimestamp:  Mon, 01 Jan 0001 00:00:00 +0000
Kind:               sqs
Parameters:
  queue:            q
  weights:          [1]
Readings:           <none>
`,
    },
  ],
  ["describe source odd", { stdout: /\nInvalid: +spec\.kind: / }],
  [
    "describe hpa -n empty",
    {
      stdout: "",
      stderr:
        "No resources found in empty namespace.\nthere are HPAs in the namespace default: choose a namespace with -n, or all with -A\n",
      exitCode: 0,
    },
  ],
  ["describe events", { stderr: "error: events have no description: see `ebb get events`\n", exitCode: 1 }],
  ["describe", { stdout: "", exitCode: 1 }],
])("ebb %s", async (line, expected) => {
  const ran = await run(line.split(" "));
  const { stdout } = expected as { stdout?: unknown };
  if (stdout instanceof RegExp) expect(ran.stdout).toMatch(stdout);
  else expect(ran).toMatchObject(expected);
});

const head = "LAST SEEN   TYPE      REASON              OBJECT                        MESSAGE\n";
const failed = "5m          Warning   FailedGetScale      horizontalpodautoscaler/web   no scale\n";
const scaled = "60s         Normal    SuccessfulRescale   horizontalpodautoscaler/web   New size: 3\n";

test.each<[string, string]>([
  ["get events", head + failed + scaled],
  ["get ev --types warning --no-headers", failed.replace(/ {2}$/, "")],
  ["get events --for hpa/web", head + failed + scaled],
  ["get events --for hpa/orders", ""],
  ["get events web.2 -o name", "event/web.2\n"],
  ["get events -o jsonpath={.items[*].lastTimestamp}", "2026-03-01T11:55:00Z 2026-03-01T11:59:00Z"],
])("ebb %s", async (line, stdout) => {
  expect((await run(line.split(" "))).stdout.replace(/ +/g, " ")).toBe(stdout.replace(/ +/g, " "));
});
