import { json, type Reply, startServer, status, type TestServer } from "../../api-server";
import { clustersWith, entry, soon } from "../../connect";

let server: TestServer;
let clusters: ReturnType<typeof clustersWith>;
let answer: Reply;

beforeEach(async () => {
  answer = (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end("1\n");
  };
  server = await startServer((received, response) => answer(received, response));
  clusters = clustersWith();
});
afterEach(async () => {
  clusters.close();
  await server.stop();
});

const request = { namespace: "shop", workload: "Deployment/web", pod: "web-1", port: 8_080, path: "/busy" };

async function ask(given: Partial<typeof request> = {}) {
  const cluster = await clusters.connect(entry(server.url), soon());
  return cluster.getPod({ ...request, ...given, maxBytes: 1_000 }, soon());
}

test("the API server is asked for the pod, with the cluster's credential", async () => {
  const { status: code, body } = await ask();
  expect([code, body.toString()]).toEqual([200, "1\n"]);
  expect(server.received[0]).toMatchObject({
    ...{ method: "GET", url: "/api/v1/namespaces/shop/pods/web-1%3A8080/proxy/busy" },
  });
  expect(server.received[0]?.headers).toMatchObject({ authorization: "Bearer t0k3n" });
});

test("an answer other than 200 is the pod's, a Status the API server's", async () => {
  answer = (_request, response) => {
    response.writeHead(404);
    response.end("no such page");
  };
  expect((await ask()).status).toBe(404);
  answer = (_request, response) =>
    json(response, 503, status(503, "ServiceUnavailable", "no endpoints available for pod web-1"));
  await expect(ask({ pod: "web-2" })).rejects.toMatchObject({ message: "no endpoints available for pod web-1" });
  answer = (_request, response) => json(response, 403, status(403, "Forbidden", 'pods "web-1" is forbidden'));
  await expect(ask()).rejects.toMatchObject({ kind: "forbidden" });
});

test("an answer that is too long is no answer, and a path stays within its pod", async () => {
  answer = (_request, response) => void response.end("1".repeat(1_001));
  await expect(ask()).rejects.toMatchObject({ name: "Fault" });
  const { length } = server.received;
  await expect(ask({ path: "/../web-2/proxy" })).rejects.toMatchObject({ kind: "badEntry" });
  expect(server.received).toHaveLength(length);
});

test.each([
  ["401", 401],
  ["429 with a Retry-After", 429],
  ["503 with a Retry-After", 503],
])("a pod's %s is its answer, at once: the cluster's credential holds", async (_, code) => {
  let tokens = 0;
  clusters = clustersWith({ tokens: () => Promise.resolve(`t0k3n${(tokens += 1)}`) });
  answer = (_request, response) => {
    response.writeHead(code, { "retry-after": "1" });
    response.end("0");
  };
  expect((await ask()).status).toBe(code);
  await ask({ pod: "web-2" });
  expect(server.received).toHaveLength(2);
  expect(tokens).toBe(1);
});

test("of 100 pods, 16 are asked at once", async () => {
  const open: (() => void)[] = [];
  let answered = 0;
  let most = 0;
  answer = (_request, response) => {
    open.push(() => response.end("0"));
    most = Math.max(most, open.length);
    if (open.length < 16 && answered + open.length < 100) return;
    answered += open.length;
    for (const end of open.splice(0)) end();
  };
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask({ pod: `web-${index}` })));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(most).toBe(16);
});
