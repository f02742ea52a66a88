import { openHttpSource } from "../../lib/sources/http/http";
import { openPrometheusSource } from "../../lib/sources/prometheus/prometheus";
import { Fault } from "../../lib/model/fault";
import type { MetricSource, ServiceAnswer } from "../../lib/model/ports";
import { fakeCluster } from "../fakes/fake-cluster";
import { networkWith } from "./contract/contract";
import { turnOf } from "./turn";

const via = { namespace: "monitoring", service: "stats", port: "8080" };

/** What a source reads through an API server behind which this service is. */
async function readVia(
  open: (network: ReturnType<typeof networkWith>) => MetricSource,
  parameters: Readonly<Record<string, unknown>>,
  answer?: (path: string) => ServiceAnswer,
) {
  const cluster = fakeCluster();
  if (answer !== undefined) cluster.services.set("monitoring/stats:8080", answer);
  const turn = turnOf({ cluster: { name: "prod", api: () => Promise.resolve(cluster) } });
  const reading = await open(networkWith())
    .open(turn)
    .read({ metricName: "jobs", parameters: { via, ...parameters } });
  return "items" in reading ? reading.items.map(({ value }) => value) : reading.error;
}

const answering = (document: unknown, status = 200, type = "application/json") => {
  const asked: string[] = [];
  const answer = (path: string): ServiceAnswer => {
    asked.push(path);
    return { status, headers: { "content-type": type }, body: Buffer.from(JSON.stringify(document)) };
  };
  return { asked, answer };
};

test("http reads a document of a service, whose URL is a path", async () => {
  const { asked, answer } = answering({ depth: 7 });
  const parameters = { url: "/queues/${queue}?full=1", path: "$.depth", "var.queue": "a b" };
  expect(await readVia(openHttpSource, parameters, answer)).toEqual(["7"]);
  expect(asked).toEqual(["/queues/a%20b?full=1"]);
});

test.each([
  [{}, "/api/v1/query?query=sum%28jobs%29"],
  [{ url: "/prometheus/" }, "/prometheus/api/v1/query?query=sum%28jobs%29"],
])("prometheus asks a service: %j", async (more, expected) => {
  const { asked, answer } = answering({ status: "success", data: { resultType: "scalar", result: [1, "3"] } });
  expect(await readVia(openPrometheusSource, { query: "sum(jobs)", ...more }, answer)).toEqual(["3"]);
  expect(asked).toEqual([expected]);
});

test("what the service answers is judged as any server's answer", async () => {
  const { answer } = answering({ status: "error", error: "parse error: unclosed left parenthesis" }, 400);
  expect(await readVia(openPrometheusSource, { query: "sum(" }, answer)).toBe(
    "http://stats.monitoring.svc:8080: the server refused the request (status 400: parse error: unclosed left parenthesis)",
  );
});

test("a service that is not there is an error of the API server's words", async () => {
  expect(await readVia(openPrometheusSource, { query: "jobs" })).toBe(
    'http://stats.monitoring.svc:8080: services "stats" not found',
  );
});

test("a cluster that cannot be reached is the metric's error", async () => {
  const api = () => Promise.reject(new Fault("unreachable", "https://prod.example: connection refused"));
  const turn = turnOf({ cluster: { name: "prod", api } });
  const reader = openPrometheusSource(networkWith()).open(turn);
  expect(await reader.read({ metricName: "jobs", parameters: { via, query: "jobs" } })).toEqual({
    error: "http://stats.monitoring.svc:8080: https://prod.example: connection refused",
    from: "prometheus",
  });
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ url: "https://stats.example.com/a" }, "parameter url: expected a path such as /prometheus"],
  [{ secret: "ebb/prod/x" }, "parameter secret: expected nothing beside via"],
  [{ certificateAuthorityData: "YQ==" }, "parameter certificateAuthorityData: expected nothing beside via"],
  [{ via: { namespace: "monitoring", service: "stats" } }, "parameter via.port: expected a port's number or name"],
  [{ via: { ...via, service: "../x" } }, "parameter via.service: expected a name such as prometheus"],
  [{ via: { ...via, port: "1/../../x" } }, "parameter via.port: expected a port's number or name"],
  [{ via: "monitoring/stats" }, "parameter via: expected an object with namespace, service and port"],
  [{ via: undefined, url: "/a" }, "parameter url: expected https://host[:port][/path], or via for a path"],
])("what cannot be asked: %j", async (parameters, expected) => {
  expect(await readVia(openHttpSource, { url: "/a", path: "$", ...parameters })).toContain(expected);
});
