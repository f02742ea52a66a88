import { putHpa } from "../../local/entries";
import { hpaWith } from "../core/build";
import { aroundCalls } from "../aws/around";
import { tableForTests } from "./table";

const { byHand, register, run, table } = tableForTests();
const put = async (namespace: string, name: string, cluster = "prod") => {
  const hpa = hpaWith();
  await putHpa(table(), cluster, { ...hpa, metadata: { ...hpa.metadata, namespace, name } });
};
const notFound = (name: string) =>
  `Error from server (NotFound): horizontalpodautoscalers.autoscaling "${name}" not found`;

beforeAll(async () => {
  await register("prod");
  await put("default", "orders");
  await put("default", "web");
  await put("shop", "checkout");
  await put("shop", "web");
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#waiting-jobs", spec: { kind: "sqs", parameters: { queue: "q" } } });
});

const verbs = [
  "get hpa NAME",
  "get hpa/NAME -o yaml",
  "describe hpa NAME",
  "explain hpa NAME",
  "explain hpa NAME --since 1h",
  "delete hpa NAME",
  "pause hpa NAME",
  "resume hpa NAME",
  "dry-run hpa NAME on",
  "label hpa NAME a=b",
  "annotate hpa NAME a=b",
  "edit hpa NAME",
  'patch hpa NAME -p {"spec":{"maxReplicas":3}}',
  "wait hpa NAME --for=condition=ScalingActive",
];

test.each(verbs)("ebb %s: a wrong name gets a suggestion, below kubectl's words", async (verb) => {
  const ask = (name: string) => run(verb.replace("NAME", name).split(" "));
  expect(await ask("ordres")).toMatchObject({ exitCode: 1, stderr: `${notFound("ordres")}\ndid you mean orders?\n` });
  const elsewhere = `${notFound("checkout")}\ncheckout is in the namespace shop: add -n shop\n`;
  expect(await ask("checkout")).toMatchObject({ exitCode: 1, stderr: elsewhere });
  expect((await ask("something")).stderr).toBe(`${notFound("something")}\n`);
});

test.each([
  ["get hpa wbe chekout", "wbe", "did you mean web?"],
  ["get hpa chekout", "chekout", "did you mean checkout in the namespace shop (-n shop)?"],
])("ebb %s: %s: %s", async (line, name, hint) => {
  expect((await run(line.split(" "))).stderr).toContain(`${notFound(name)}\n${hint}\n`);
});

test("a name that several namespaces have", async () => {
  const { stderr } = await run(["get", "hpa", "web", "-n", "test"]);
  expect(stderr).toBe(`${notFound("web")}\nweb is in the namespaces default, shop: choose one with -n\n`);
});

test.each([
  ["get source wating-jobs", 'metricsources.ebb.dev "wating-jobs" not found', "did you mean waiting-jobs?"],
  ["describe source wating-jobs", 'metricsources.ebb.dev "wating-jobs" not found', "did you mean waiting-jobs?"],
  ["get cluster prdo", 'clusters.ebb.dev "prdo" not found', "did you mean prod?"],
  ["delete cluster prdo", 'clusters.ebb.dev "prdo" not found', "did you mean prod?"],
])("ebb %s", async (line, words, hint) => {
  expect((await run(line.split(" "))).stderr).toBe(`Error from server (NotFound): ${words}\n${hint}\n`);
});

test.each([
  ["get hpa -n shpo", "No resources found in shpo namespace.\ndid you mean the namespace shop?\n"],
  ["describe hpa -n shpo", "No resources found in shpo namespace.\ndid you mean the namespace shop?\n"],
  ["pause hpa --all -n shpo", "No resources found in shpo namespace.\ndid you mean the namespace shop?\n"],
  [
    "get hpa -n other",
    "No resources found in other namespace.\nthere are HPAs in the namespaces default, shop: choose a namespace with -n, or all with -A\n",
  ],
  ["get sources -n shpo -l a=b", "No resources found\n"],
  ["get hpa -l a=b", "No resources found in default namespace.\n"],
  ["events -n shpo", "No events found in shpo namespace.\ndid you mean the namespace shop?\n"],
  ["events --for hpa/ordres", "No events found in default namespace.\ndid you mean orders?\n"],
  ["events --for hpa/orders", "No events found in default namespace.\n"],
])("ebb %s finds nothing, and says where there is something", async (line, stderr) => {
  expect((await run(line.split(" "))).stderr).toBe(stderr);
});

test("--ignore-not-found asks for no suggestion, and gets none", async () => {
  expect(await run(["get", "hpa", "ordres", "--ignore-not-found"])).toMatchObject({ stderr: "", exitCode: 0 });
});

test("with 10,000 HPAs a suggestion reads at most their keys, in as many requests as their size needs", async () => {
  await register("large");
  for (let start = 0; start < 10_000; start += 500)
    await Promise.all(Array.from({ length: 500 }, (_, at) => put("many", `worker-${start + at}`, "large")));
  const calls: object[] = [];
  const stop = aroundCalls(table().client, (next, { input }) => {
    calls.push(input);
    return next();
  });
  const { stderr } = await run(["get", "hpa", "wroker-4711", "-n", "many", "--cluster", "large"]);
  stop();
  expect(stderr).toContain("did you mean worker-4711?");
  const lists = calls.filter((input) => "Limit" in input && input.Limit === 10_000);
  expect(lists.every((input) => "ProjectionExpression" in input)).toBe(true);
  expect(lists.length).toBeGreaterThan(0);
  expect(lists.length).toBeLessThan(40);
});

test("a user who may not read other keys gets the words alone", async () => {
  const stop = aroundCalls(table().client, (next, { input }) =>
    "Limit" in input && input.Limit === 10_000
      ? Promise.reject(Object.assign(new Error("not allowed"), { name: "AccessDeniedException" }))
      : next(),
  );
  const { stderr } = await run(["get", "hpa", "ordres", "--cluster", "prod"]);
  stop();
  expect(stderr).toBe(`${notFound("ordres")}\n`);
});
