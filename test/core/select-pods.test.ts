import { evaluate } from "../../lib/core/evaluate";
import { cachedSelector } from "../../lib/core/select-pods";
import { cpu50, cpuUse, hpaWith, noon, podOf, scaleOf, situationWith } from "./build";

type Other = { namespace: string; name: string; selector: string };
const other = (selector: string, name = "api", namespace = "shop"): Other => ({ namespace, name, selector });

function decideWith(selector: string | undefined, otherHpas: readonly Other[] = [], pods = [podOf("a"), podOf("b")]) {
  const scale = scaleOf(2);
  const { selector: _, ...status } = scale.status;
  return evaluate(
    situationWith({
      hpa: hpaWith({ metrics: [cpu50] }, { desiredReplicas: 9 }),
      scale: { ...scale, status: selector === undefined ? status : { ...status, selector } },
      pods,
      metrics: [cpuUse({ a: "500m", b: "500m" })],
      otherHpas,
    }),
    noon,
  );
}

const ambiguous = (names: string) => `pods by selector app=web are controlled by more than one HPA (e.g. [${names}])`;

test.each<[string, string | undefined, readonly Other[], string, string, string, string]>([
  [
    "none",
    undefined,
    [],
    "SelectorRequired",
    "selector is required",
    "InvalidSelector",
    "the HPA target's scale is missing a selector",
  ],
  [
    "empty",
    "",
    [],
    "SelectorRequired",
    "selector is required",
    "InvalidSelector",
    "the HPA target's scale is missing a selector",
  ],
  [
    "shared with another HPA",
    "app=web",
    [other("app in (web)")],
    "AmbiguousSelector",
    ambiguous("shop/api shop/web"),
    "AmbiguousSelector",
    ambiguous("shop/api shop/web"),
  ],
  [
    "shared with several",
    "app=web",
    [other("app", "z"), other("app!=api", "b"), other("app=api", "c")],
    "AmbiguousSelector",
    ambiguous("shop/b shop/web"),
    "AmbiguousSelector",
    ambiguous("shop/b shop/web"),
  ],
])("a selector that is %s", (...[_, selector, others, reason, message, conditionReason, conditionMessage]) => {
  const decision = decideWith(selector, others);
  expect(decision).toMatchObject({ scaleTo: null, desiredReplicas: 9, recommendation: null });
  expect(decision.status.currentMetrics).toEqual([]);
  expect(decision.status.currentReplicas).toBe(2);
  expect(decision.events).toEqual([
    { type: "Warning", reason, message },
    { type: "Warning", reason: "FailedComputeMetricsReplicas", message },
  ]);
  expect(decision.status.conditions?.[1]).toMatchObject({
    type: "ScalingActive",
    status: "False",
    reason: conditionReason,
    message: conditionMessage,
  });
  expect(decision.steps).toEqual([
    { stage: "metric", replicas: null, limitedBy: reason, because: message },
    { stage: "decide", replicas: 2, limitedBy: "FailedComputeMetricsReplicas", because: message },
  ]);
});

test("a single shared pod is enough", () => {
  const [a, b] = [podOf("a"), podOf("b")];
  const pods = [a, { ...b, metadata: { name: "b", labels: { app: "web", tier: "api" } } }];
  expect(decideWith("app=web", [other("tier=api")], pods).events[0]).toMatchObject({ reason: "AmbiguousSelector" });
});

test("a selector that cannot be read", () => {
  const message =
    "couldn't convert selector into a corresponding internal selector object: " +
    "unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt";
  const { events, status } = decideWith("app web");
  expect(events).toEqual([
    { type: "Warning", reason: "InvalidSelector", message },
    { type: "Warning", reason: "FailedComputeMetricsReplicas", message },
  ]);
  expect(status.conditions?.[1]).toMatchObject({ status: "False", reason: "InvalidSelector", message });
});

test.each<[string, readonly Other[]]>([
  ["another's pods", [other("app=api")]],
  ["another namespace's", [other("app=web", "api", "else")]],
  ["the HPA itself, listed among the others", [other("app=web", "web")]],
  ["one without a selector, which controls nothing", [other("")]],
  ["one whose selector cannot be read", [other("app web")]],
])("%s does not matter", (_, others) => {
  expect(decideWith("app=web", others)).toMatchObject({ scaleTo: null, recommendation: 2 });
});

test("without pods, nothing is shared", () => {
  expect(decideWith("app=web", [other("app=web")], []).events[0]).toMatchObject({ reason: "FailedGetResourceMetric" });
});

test("pods that the selector does not match are not the target's", () => {
  const stranger = podOf("b");
  const pods = [
    podOf("a"),
    { ...stranger, metadata: { name: "b", labels: { app: "api" } } },
    { metadata: { name: "c" } },
  ];
  expect(decideWith("app=web", [], pods).steps[0]?.detail).toMatchObject({ ready: 1, missing: 0 });
});

test("a selector beyond the limit is none, and nobody parses it", () => {
  const labels = Array.from({ length: 1_000 }, (_, index) => `label-${index}=value`).join(",");
  const { events } = decideWith(labels, [], []);
  expect(events[0]).toMatchObject({
    reason: "InvalidSelector",
    message:
      "couldn't convert selector into a corresponding internal selector object: expected at most 4096 characters, got " +
      "15889 (a limit of ebb): use fewer labels",
  });
  expect(cachedSelector(labels.slice(0, 4_095))).toHaveProperty("selector");
});

test("after many selectors, the cache forgets some and confuses none", () => {
  const before = cachedSelector("n=0");
  for (let index = 0; index < 1_000; index += 1) cachedSelector(`n=${index},a in (${"x,".repeat(2_000)}y)`);
  const first = cachedSelector("n=0");
  expect(first).not.toBe(before);
  expect(first).toEqual(cachedSelector("n=0"));
  expect(first).not.toEqual(cachedSelector("n=1"));
  expect(cachedSelector("n=0")).toBe(first);
});
