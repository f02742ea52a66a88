import { encodeState } from "../../lib/table/items/hpa-items";
import { fromItem } from "../../lib/table/items/attributes";
import { now as noon, tableForTests } from "./table";

const { byHand, run, file } = tableForTests();

const object = "horizontalpodautoscaler.autoscaling";
const spec = { maxReplicas: 5, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } };

/** An HPA whose last sync left these replicas. */
async function synced(name: string, replicas: number): Promise<void> {
  await byHand({ pk: "CLUSTER#prod", sk: `HPA#default/${name}`, metadata: { labels: { app: name } }, spec });
  const status = {
    desiredReplicas: replicas,
    currentReplicas: replicas,
    conditions: [{ type: "ScalingActive", status: "True" as const, reason: "ValidMetricFound" }],
  };
  const state = { version: 1, slot: 0, status, history: null, open: false } as const;
  await byHand(fromItem(encodeState("prod", `default/${name}`, state)));
}

beforeAll(async () => {
  const cluster = { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/prod" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec: cluster });
  await synced("web", 4);
  await synced("orders", 2);
});

/** Runs on a clock that only waiting moves; `at` happens after so many polls. */
async function waited(line: string, at: Readonly<Record<number, () => Promise<unknown>>> = {}) {
  let time = noon;
  let polls = 0;
  const pause = async (ms: number) => {
    time += ms;
    await at[++polls]?.();
  };
  return { ...(await run(line.split(" "), { now: () => time, pause })), polls };
}

const met = (...names: readonly string[]) => names.map((name) => `${object}/${name} condition met\n`).join("");

/** test/e2e/kubectl.test.ts asks the real kubectl the same. */
test.each<[string, string]>([
  ["wait hpa/web --for=condition=ScalingActive", met("web")],
  ["wait hpa/web --for=condition=scalingactive=TRUE", met("web")],
  ["wait hpa web --for=jsonpath={.spec.maxReplicas}=5", met("web")],
  ["wait hpa web --for=jsonpath=.spec.maxReplicas=5", met("web")],
  ["wait hpa web --for=jsonpath={.status.desiredReplicas}", met("web")],
  ['wait hpa web --for=jsonpath={.status.conditions[?(@.type=="ScalingActive")].status}=True', met("web")],
  ["wait hpa web orders --for=create", met("web", "orders")],
  ["wait hpa --all --for=create", met("orders", "web")],
  ["wait hpa -l app=web --for=condition=ScalingActive", met("web")],
  ["wait hpa/web --for=jsonpath={.spec.maxReplicas}=5 -o name", `${object}/web\n`],
  ["wait hpa/web --for=condition=ScalingActive --for=create", met("web", "web")],
  ["wait hpa/nobody --for=delete", ""],
  ["wait hpa -l app=none --for=delete", ""],
])("ebb %s", async (line, stdout) => {
  expect(await waited(line)).toEqual({ stdout, stderr: "", exitCode: 0, polls: 0 });
});

test.each<[string, string]>([
  [
    "wait hpa/web --for=condition=X --timeout=5s",
    "error: timed out waiting for the condition on horizontalpodautoscalers/web\n",
  ],
  [
    "wait hpa/web --for=jsonpath={.spec.maxReplicas}=6 --timeout=1s",
    "error: timed out waiting for the condition on horizontalpodautoscalers/web\n",
  ],
  [
    "wait hpa/web --for=jsonpath={.spec.nope} --timeout=0",
    "error: condition not met for horizontalpodautoscalers/web\n",
  ],
  [
    "wait hpa/web --for=jsonpath={.spec.metrics[9].type} --timeout=0",
    "error: condition not met for horizontalpodautoscalers/web\n",
  ],
  [
    "wait hpa/web --for=delete --timeout=1s",
    "error: timed out waiting for the condition on horizontalpodautoscalers/web\n",
  ],
  [
    "wait hpa --all --for=condition=X --timeout=0s",
    "condition not met for horizontalpodautoscalers/orders\ncondition not met for horizontalpodautoscalers/web\n",
  ],
  [
    "wait hpa/nobody --for=condition=X",
    'Error from server (NotFound): horizontalpodautoscalers.autoscaling "nobody" not found\n',
  ],
  ["wait hpa -l app=none --for=condition=X", "error: no matching resources found\n"],
  ["wait hpa --for=condition=X", "error: resource(s) were provided, but no name was specified\n"],
  ["wait hpa/web --for=bogus", 'error: unrecognized condition: "bogus"\n'],
  [
    "wait hpa/web",
    "error: say with --for what to wait for: condition=TYPE[=VALUE], jsonpath={PATH}[=VALUE], create or delete",
  ],
  ["wait --for=delete", "error: You must provide one or more resources by argument or filename.\n"],
  [
    "wait hpa/web --for=jsonpath={.spec}=5",
    "error: jsonpath leads to a nested object or list which cannot be compared\n",
  ],
  ["wait hpa/web --for=jsonpath={.status.conditions[*].type}{.x}=5", "error: --for=jsonpath="],
  ["wait hpa/web --for=create --timeout=soon", 'error: invalid argument "soon" for "--timeout" flag: '],
])("ebb %s fails", async (line, stderr) => {
  const ran = await waited(line);
  expect([ran.stdout, ran.exitCode]).toEqual(["", 1]);
  expect(ran.stderr).toContain(stderr);
});

test("it waits for a value, a new object and a deleted one", async () => {
  expect(
    await waited("wait hpa/web --for=jsonpath={.status.currentReplicas}=0", { 3: () => synced("web", 0) }),
  ).toEqual({
    stdout: met("web"),
    stderr: "",
    exitCode: 0,
    polls: 3,
  });
  expect(await waited("wait hpa/later --for=create", { 2: () => synced("later", 1) })).toMatchObject({
    stdout: met("later"),
    polls: 2,
  });
  expect(await waited("wait hpa/later --for=delete", { 2: () => run(["delete", "hpa", "later"]) })).toMatchObject({
    stdout: met("later"),
    polls: 2,
  });
});

test("it waits for the objects of a file, and not longer than it should", async () => {
  const given = await file(
    `kind: HorizontalPodAutoscaler\napiVersion: autoscaling/v2\nmetadata: { name: orders }\nspec: ${JSON.stringify(spec)}\n`,
  );
  expect(await waited(`wait -f ${given} --for=condition=ScalingActive`)).toMatchObject({ stdout: met("orders") });
  expect((await waited("wait hpa/web --for=condition=X --timeout=5s")).polls).toBe(3);
});
