import { manualClock } from "../../../../local/clock";
import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { clientOf, deployment } from "./client";

const deploymentsPath = "/apis/apps/v1/namespaces/default/deployments";

let cluster: SimulatedCluster;
let call: ReturnType<typeof clientOf>;

beforeEach(async () => {
  cluster = await startSimulatedCluster({
    clock: manualClock(Date.parse("2026-01-01T00:00:00Z")),
    controllers: false,
    users: [
      {
        name: "scaler",
        rules: [{ verbs: ["get"], apiGroups: ["*"], resources: ["*/scale"], namespaces: ["default"] }],
      },
    ],
  });
  call = clientOf(cluster);
});
afterEach(() => cluster.close());

describe("objects", () => {
  test("are created with what the server adds, and read back", async () => {
    const created = await call("POST", deploymentsPath, { body: deployment("web", 3) });
    expect(created.status).toBe(201);
    expect(created.body.metadata).toEqual({
      name: "web",
      namespace: "default",
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      resourceVersion: expect.stringMatching(/^\d+$/) as string,
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
    });
    expect(created.body.spec.template.spec.terminationGracePeriodSeconds).toBe(30);
    expect((await call("GET", `${deploymentsPath}/web`)).body).toEqual(created.body);
  });

  test("a write that changes nothing keeps resourceVersion and generation; one of the spec moves both", async () => {
    const { body } = await call("POST", deploymentsPath, { body: deployment("web", 3) });
    const same = await call("PUT", `${deploymentsPath}/web`, { body });
    expect(same.body.metadata).toEqual(body.metadata);
    const changed = await call("PUT", `${deploymentsPath}/web`, {
      body: { ...body, spec: { ...body.spec, replicas: 4 } },
    });
    expect(changed.body.metadata.generation).toBe(2);
    expect(Number(changed.body.metadata.resourceVersion)).toBeGreaterThan(Number(body.metadata.resourceVersion));
  });

  test("an annotation or a status moves resourceVersion and leaves generation", async () => {
    const { body } = await call("POST", deploymentsPath, { body: deployment("web", 3) });
    const headers = { "content-type": "application/merge-patch+json" };
    const noted = await call("PATCH", `${deploymentsPath}/web`, {
      headers,
      body: { metadata: { annotations: { note: "x" } }, status: { replicas: 9 } },
    });
    expect(noted.body.metadata).toMatchObject({ generation: 1, annotations: { note: "x" } });
    expect(noted.body.status).toEqual({});
    const counted = await call("PATCH", `${deploymentsPath}/web/status`, {
      headers,
      body: { status: { replicas: 9 } },
    });
    expect(counted.body).toMatchObject({ metadata: { generation: 1 }, status: { replicas: 9 }, spec: body.spec });
    expect(counted.body.metadata.resourceVersion).not.toBe(noted.body.metadata.resourceVersion);
  });

  test("a strategic merge patch merges containers by name", async () => {
    await call("POST", deploymentsPath, { body: deployment("web", 3) });
    const containers = [{ name: "main", image: "example.com/main:2" }, { name: "side" }];
    const patched = await call("PATCH", `${deploymentsPath}/web`, {
      headers: { "content-type": "application/strategic-merge-patch+json" },
      body: { spec: { template: { spec: { "$setElementOrder/containers": [{ name: "main" }], containers } } } },
    });
    const names = patched.body.spec.template.spec.containers.map((each) => [each.name, each.image]);
    expect(names).toEqual([
      ["main", "example.com/main:2"],
      ["side", undefined],
    ]);
  });

  test("are listed by label and field", async () => {
    for (const name of ["a", "b", "c"]) {
      const body = { ...deployment(name, 1), metadata: { name, labels: { tier: name === "c" ? "back" : "front" } } };
      await call("POST", deploymentsPath, { body });
    }
    const names = async (query: string): Promise<string[]> =>
      (await call("GET", `${deploymentsPath}?${query}`)).body.items.map((item) => item.metadata.name);
    expect(await names("labelSelector=tier%3Dfront")).toEqual(["a", "b"]);
    expect(await names("labelSelector=tier%20notin%20(front,x)")).toEqual(["c"]);
    expect(await names("labelSelector=!tier")).toEqual([]);
    expect(await names("fieldSelector=metadata.name%3Db")).toEqual(["b"]);
  });

  test("a Table has the columns that kubectl prints", async () => {
    await call("POST", deploymentsPath, { body: deployment("web", 3) });
    const { body } = await call("GET", deploymentsPath, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" },
    });
    expect(body).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    const shown = body.columnDefinitions.filter((column) => column.priority === 0);
    expect(shown.map(({ name }) => name)).toEqual([...["Name", "Ready", "Up-to-date", "Available", "Age"]]);
    expect(body.rows[0]?.cells.slice(0, 5)).toEqual(["web", "0/3", 0, 0, "0s"]);
  });
});

describe("refusals read as the real server's", () => {
  const statusOf = (code: number, reason: string, message: string, details?: unknown) => ({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details !== undefined && { details }),
    code,
  });
  const web = { name: "web", group: "apps", kind: "deployments" };

  test("404", async () => {
    const { body } = await call("GET", `${deploymentsPath}/web`);
    expect(body).toEqual(statusOf(404, "NotFound", 'deployments.apps "web" not found', web));
  });

  test("404 in plain text for what is not served", async () => {
    const { status, body } = await call("GET", "/apis/nothing.example.com/v1/namespaces/default/things");
    expect([status, body]).toEqual([404, "404 page not found\n"]);
  });

  test("404 with a Status for what a served group does not have", async () => {
    for (const path of [`${deploymentsPath}/web/nothing`, "/apis/apps/v1/namespaces/default/things", "/apis/apps/v9"]) {
      const { body } = await call("GET", path);
      expect(body).toEqual(statusOf(404, "NotFound", "the server could not find the requested resource", {}));
    }
  });

  test("409 AlreadyExists", async () => {
    await call("POST", deploymentsPath, { body: deployment("web", 1) });
    const { body } = await call("POST", deploymentsPath, { body: deployment("web", 1) });
    expect(body).toEqual(statusOf(409, "AlreadyExists", 'deployments.apps "web" already exists', web));
  });

  test("409 Conflict for an old resourceVersion", async () => {
    const { body: first } = await call("POST", deploymentsPath, { body: deployment("web", 1) });
    await call("PUT", `${deploymentsPath}/web`, { body: { ...first, spec: { ...first.spec, replicas: 2 } } });
    const { body } = await call("PUT", `${deploymentsPath}/web`, { body: first });
    const message =
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to ' +
      "the latest version and try again";
    expect(body).toEqual(statusOf(409, "Conflict", message, web));
  });

  test("422 names the field", async () => {
    const { status, body } = await call("POST", deploymentsPath, { body: deployment("web", -1) });
    expect(status).toBe(422);
    expect(body.message).toBe(
      'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(body.details.causes).toEqual([
      {
        reason: "FieldValueInvalid",
        message: "Invalid value: -1: must be greater than or equal to 0",
        field: "spec.replicas",
      },
    ]);
  });

  test("401 for a token that nobody has", async () => {
    const { body } = await call("GET", deploymentsPath, { token: "wrong" });
    expect(body).toEqual(statusOf(401, "Unauthorized", "Unauthorized"));
  });

  test("403 names user, verb, resource, group and namespace", async () => {
    await call("POST", deploymentsPath, { body: deployment("web", 1) });
    const token = cluster.tokenOf("scaler");
    expect((await call("GET", `${deploymentsPath}/web/scale`, { token })).status).toBe(200);
    const { body } = await call("PUT", `${deploymentsPath}/web/scale`, { token, body: {} });
    const because =
      'User "scaler" cannot update resource "deployments/scale" in API group "apps" in the namespace "default"';
    expect(body).toEqual(statusOf(403, "Forbidden", `deployments.apps "web" is forbidden: ${because}`, web));
    const listed = await call("GET", "/api/v1/pods", { token });
    expect(listed.body.message).toBe(
      'pods is forbidden: User "scaler" cannot list resource "pods" in API group "" at the cluster scope',
    );
  });

  test("the anonymous user sees the version and nothing else", async () => {
    expect((await call("GET", "/version", { token: null })).body.gitVersion).toBe("v1.37.2");
    const { status, body } = await call("GET", "/apis", { token: null });
    expect([status, body.message]).toEqual([403, 'forbidden: User "system:anonymous" cannot get path "/apis"']);
  });

  test("an unreadable body is a bad request", async () => {
    const { status, body } = await call("POST", deploymentsPath, { body: "text" });
    expect([status, body.reason]).toEqual([400, "BadRequest"]);
  });

  test("a namespace that is not there", async () => {
    const path = "/apis/apps/v1/namespaces/nowhere/deployments";
    const { body } = await call("POST", path, { body: deployment("web", 1) });
    expect(body.message).toBe('namespaces "nowhere" not found');
  });
});

describe("who asks", () => {
  test("a client certificate names its user", async () => {
    const clientCertificate = await cluster.clientCertificate("admin");
    expect((await call("GET", deploymentsPath, { token: null, clientCertificate })).status).toBe(200);
    const stranger = await cluster.clientCertificate("stranger");
    const { body } = await call("GET", deploymentsPath, { token: null, clientCertificate: stranger });
    expect(body.message).toContain('User "stranger" cannot list resource "deployments"');
  });

  test("the reader reads and does not write", async () => {
    const token = cluster.readerToken;
    expect((await call("GET", "/api/v1/pods", { token })).status).toBe(200);
    expect((await call("POST", deploymentsPath, { token, body: deployment("web", 1) })).status).toBe(403);
  });
});

test("a test can let the server be slow or broken", async () => {
  const broken = await startSimulatedCluster({
    controllers: false,
    intercept(request, response) {
      if (request.url !== "/version") return false;
      response.writeHead(200, { "content-type": "text/html" }).end("<html>");
      return true;
    },
  });
  try {
    const ask = clientOf(broken);
    expect((await ask("GET", "/version")).body).toBe("<html>");
    expect((await ask("GET", "/api/v1/pods")).status).toBe(200);
  } finally {
    await broken.close();
  }
});
