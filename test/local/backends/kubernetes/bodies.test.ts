import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { clientOf, deployment } from "./client";

const path = "/apis/apps/v1/namespaces/default/deployments";
const yaml = { "content-type": "application/yaml" };

let cluster: SimulatedCluster;
let call: ReturnType<typeof clientOf>;

beforeAll(async () => {
  cluster = await startSimulatedCluster({ controllers: false });
  call = clientOf(cluster);
});
afterAll(() => cluster.close());

const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x, x]",
  ..."bcdefgh".split("").map((name, index) => {
    const before = "abcdefgh".charAt(index);
    return `${name}: &${name} [${Array(10).fill(`*${before}`).join(", ")}]`;
  }),
].join("\n");

test.each<[string, string, Record<string, string>, string]>([
  ["aliases that multiply", bomb, yaml, "Excessive alias count"],
  ["an alias of itself", "a: &a [*a]", yaml, "circular"],
  ["an alias of nothing", "a: *nothing", yaml, "Unresolved alias"],
  ["lists in lists, in YAML", "- ".repeat(2_000) + "a", yaml, "exceeded max depth"],
  ["brackets in brackets, in YAML", "[".repeat(2_000) + "]".repeat(2_000), yaml, "exceeded max depth"],
  [
    "keys in keys, by indentation",
    Array.from({ length: 700 }, (_, at) => " ".repeat(at) + "a:").join("\n"),
    yaml,
    "exceeded max depth",
  ],
  ["objects in objects, in JSON", '{"a":'.repeat(100_000), {}, "exceeded max depth"],
  ["two documents", "a: 1\n---\nb: 2", yaml, "Source contains multiple documents"],
])("a hostile body is a bad request, and the next one is answered: %s", async (_case, body, headers, because) => {
  const answer = await call("POST", path, { body, headers });
  expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
  expect(answer.body.message).toContain(because);
  expect((await call("GET", path)).status).toBe(200);
});

test("a body above 3 MiB is refused", async () => {
  const body = JSON.stringify({ ...deployment("large", 1), filler: "x".repeat(3 * 1024 * 1024) });
  const { status, body: refusal } = await call("POST", path, { body });
  expect([status, refusal.reason]).toEqual([413, "RequestEntityTooLarge"]);
});

test("keys that every object inherits are unknown fields like others, and names of labels like others", async () => {
  const odd = '"spec":{"__proto__":{"replicas":9},"constructor":{"prototype":{"polluted":1}},';
  const labels = '"metadata":{"labels":{"__proto__":"a","constructor":"b","toString":"c"},';
  const body = JSON.stringify(deployment("odd", 1)).replace('"spec":{', odd).replace('"metadata":{', labels);
  const strict = await call("POST", `${path}?fieldValidation=Strict`, { body });
  expect(strict.body.message).toContain('unknown field "spec.__proto__", unknown field "spec.constructor"');
  const created = await call("POST", path, { body });
  expect(created.status).toBe(201);
  expect(created.body.spec.replicas).toBe(1);
  expect(Object.entries((created.body.metadata as unknown as { labels: object }).labels)).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
    ["toString", "c"],
  ]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  const patched = await call("PATCH", `${path}/odd`, {
    body: '{"metadata":{"annotations":{"__proto__":"x"}},"spec":{"__proto__":{"replicas":9}}}',
    headers: { "content-type": "application/merge-patch+json" },
  });
  expect([patched.status, patched.body.spec.replicas]).toEqual([200, 1]);
});

test("a warning names any field, in the bytes of one header", async () => {
  const body = JSON.stringify(deployment("named", 1)).replace(
    '"spec":{',
    '"spec":{"a\\"b\\\\c\\r\\nx-evil: 1":1,"größe":2,',
  );
  const { status, headers } = await call("POST", path, { body });
  expect(status).toBe(201);
  expect(headers["x-evil"]).toBeUndefined();
  expect(Buffer.from(headers["warning"] ?? "", "latin1").toString("utf8")).toBe(
    '299 - "unknown field \\"spec.a\\"b\\\\c  x-evil: 1\\"", 299 - "unknown field \\"spec.größe\\""',
  );
});

test("ten thousand unknown fields are not ten thousand headers", async () => {
  const spec = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`unknown${index}`, index]));
  const { spec: own, ...rest } = deployment("many", 1);
  const { status, headers } = await call("POST", path, { body: { ...rest, spec: { ...spec, ...own } } });
  expect(status).toBe(201);
  expect(Buffer.byteLength(headers["warning"] ?? "")).toBeLessThan(8_192);
});

test("a definition cannot name the schema of another kind, or none", async () => {
  const definition = (schema: unknown) => ({
    metadata: { name: "odds.example.com" },
    spec: {
      ...{ group: "example.com", scope: "Namespaced", names: { kind: "Odd", plural: "odds" } },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const refused = await call("POST", definitions, { body: definition({ properties: "none" }) });
  expect([refused.status, refused.body.reason]).toEqual([400, "BadRequest"]);
  const recursive = { type: "object", properties: { spec: { $ref: "#/components/schemas/nothing" } } };
  await call("POST", definitions, { body: definition(recursive) });
  const odd = { apiVersion: "example.com/v1", kind: "Odd", metadata: { name: "a" }, spec: { anything: 1 } };
  expect((await call("POST", "/apis/example.com/v1/namespaces/default/odds", { body: odd })).status).toBe(201);
  expect((await call("GET", "/openapi/v3/apis/example.com/v1")).status).toBe(200);
});
