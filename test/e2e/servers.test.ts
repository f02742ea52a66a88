import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveAggregatedApi } from "./servers/aggregated-api";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { startControllerManager } from "./servers/controller-manager";
import { startMinistack, startMoto } from "./servers/emulator";
import { installed } from "./servers/installed";

/** The servers themselves work, an API group behind an APIService included. */
describe("the real API server", () => {
  let apiServer: ApiServer;
  beforeAll(async () => {
    apiServer = await startApiServer();
  });
  afterAll(() => apiServer?.stop());

  test("is Kubernetes, and knows its admin", async () => {
    const version = await apiServer.admin.get<{ gitVersion: string }>("/version");
    expect(version.gitVersion).toMatch(/^v1\.\d+/);
  });

  test("serves an API group through an APIService on loopback", async () => {
    const asked: string[] = [];
    const stop = await serveAggregatedApi(
      apiServer,
      [{ group: "external.metrics.k8s.io", version: "v1beta1" }],
      (request, response) => {
        asked.push(request.url ?? "");
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ kind: "ExternalMetricValueList", items: [] }));
      },
    );
    try {
      const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/depth";
      expect(await apiServer.admin.get(path)).toEqual({ kind: "ExternalMetricValueList", items: [] });
      expect(asked).toContain(path);
    } finally {
      await stop();
    }
  });

  test("has its controllers beside it", async () => {
    const controllers = await startControllerManager(apiServer, { controllers: ["deployment-controller"] });
    await controllers.stop();
  });
});

test.each([
  ["moto", startMoto],
  ["ministack", startMinistack],
])("%s answers on loopback", async (_name, start) => {
  const emulator = await start();
  try {
    expect(emulator.env.AWS_ENDPOINT_URL).toBe(emulator.endpoint);
  } finally {
    await emulator.stop();
  }
});

describe("without its servers", () => {
  const cache = process.env.EBB_CACHE;
  let empty: string;
  beforeEach(() => {
    empty = mkdtempSync(join(tmpdir(), "ebb-e2e-"));
    process.env.EBB_CACHE = empty;
  });
  afterEach(() => {
    if (cache === undefined) delete process.env.EBB_CACHE;
    else process.env.EBB_CACHE = cache;
    rmSync(empty, { recursive: true });
  });

  test("a suite fails and says how to get them", () => {
    expect(() => installed()).toThrow(/servers\.json cannot be read.*Run `npm run servers` once/);
  });

  test("a suite fails and says which one is missing", () => {
    const paths = { etcd: process.execPath, kubectl: process.execPath, kubeApiserver: join(empty, "kube-apiserver") };
    writeFileSync(join(empty, "servers.json"), JSON.stringify(paths));
    expect(() => installed()).toThrow(/^kubeApiserver is missing: .*kube-apiserver\. Run `npm run servers`/);
  });
});
