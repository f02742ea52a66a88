import { parseRedisQuery } from "../../../lib/sources/redis/redis-query";

const address = "redis.example.com:6379";
const parse = (parameters: Readonly<Record<string, unknown>>) =>
  parseRedisQuery({ metricName: "jobs", parameters: { address, ...parameters } });

test.each<[Readonly<Record<string, unknown>>, object]>([
  [{ key: "jobs-${q}" }, { keys: ["jobs-eu"], type: undefined }],
  [
    { key: "jobs", processing: "working-${q}", type: "set" },
    { keys: ["jobs", "working-eu"], type: "set" },
  ],
  [{ stream: "orders-${q}" }, { stream: "orders-eu", group: undefined, count: "length" }],
  [
    { stream: "orders", group: "g-${q}" },
    { stream: "orders", group: "g-eu", count: "backlog" },
  ],
  [
    { stream: "${q}", group: "${q}", count: "lag" },
    { stream: "eu", group: "eu", count: "lag" },
  ],
])("a placeholder is filled in every name: %j", (parameters, counted) => {
  expect(parse({ ...parameters, "var.q": "eu" }).counted).toEqual(counted);
  expect(parse({ ...parameters, vars: { q: "eu" } }).counted).toEqual(counted);
  expect(parse({ ...parameters, vars: { q: "us" }, "var.q": "eu" }).counted).toEqual(counted);
});

test.each<[Readonly<Record<string, unknown>>, number | undefined]>([
  [{ key: "jobs" }, 0],
  [{ key: "jobs", absent: 3 }, 3],
  [{ key: "jobs", absent: "error" }, undefined],
  [{ stream: "orders" }, undefined],
  [{ stream: "orders", absent: 0 }, 0],
])("what is absent has a value with %j: %s", (parameters, absent) => {
  expect(parse(parameters).absent).toBe(absent);
});

test("a server is a single one with database 0, unless the entry says otherwise", () => {
  expect(parse({ key: "jobs" })).toMatchObject({ topology: "single", database: 0, master: undefined });
  const sentinel = { topology: "sentinel", master: "main", database: 3, address: `${address},b.example.com:1` };
  expect(parse({ key: "jobs", ...sentinel })).toMatchObject({ topology: "sentinel", master: "main", database: 3 });
  expect(parse({ key: "jobs" }).server.schemes).toEqual({ secure: "rediss", plain: "redis" });
});
