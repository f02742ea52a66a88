import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { ClusterAuth } from "../../lib/model/entry/entries";
import { isFault } from "../../lib/model/fault";
import { onThisMachine } from "../../lib/net/address";
import { openClusters } from "../../lib/cluster/clusters";
import type { Target } from "../../lib/model/ports/cluster";
import { boundSecret } from "../cluster/connect";
import { buildCommand } from "../how-to/build-command";
import { runScript } from "../how-to/run-script";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { startControllerManager } from "./servers/controller-manager";
import { eventually } from "./servers/eventually";
import { applyInfra, grantDocumentedRoles } from "./servers/grant";
import { installed } from "./servers/installed";
import { deployment, deployments } from "./servers/workloads";

/**
 * The ways into a cluster that infra/kubernetes documents, tried on a real API server with the rights that it
 * documents.
 */
const target: Target = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "orders" };
const secrets: Record<string, string> = {};
const clusters = openClusters({
  secrets: (name) => Promise.resolve(secrets[name] ?? ""),
  awsCredentials: () => Promise.reject(new Error("no AWS here")),
  now: Date.now,
  addresses: onThisMachine,
});

let apiServer: ApiServer;
const folder = mkdtempSync(join(tmpdir(), "ebb-e2e-access-"));
const ending: (() => unknown)[] = [() => clusters.close(), () => rmSync(folder, { recursive: true })];

beforeAll(async () => {
  apiServer = await startApiServer();
  ending.push(() => apiServer.stop());
  const controllers = await startControllerManager(apiServer, {
    controllers: ["serviceaccount-token-controller"],
    flags: [
      `--service-account-private-key-file=${apiServer.serviceAccountKeyFile}`,
      `--root-ca-file=${authorityFile(apiServer)}`,
    ],
  });
  ending.push(() => controllers.stop());
  await apiServer.admin.create(deployments, deployment(target.name, 2));
  await grantDocumentedRoles(apiServer);
  await applyInfra(apiServer, "service-account.yaml");
  await readCredentials();
  await expectNoRights();
  // kubectl create clusterrolebinding ebb-service-account --clusterrole=ebb --serviceaccount=ebb:ebb
  await apiServer.admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "ebb-service-account" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "ebb" },
    subjects: [{ kind: "ServiceAccount", name: "ebb", namespace: "ebb" }],
  });
});

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

/** What the token controller puts beside each token. */
function authorityFile({ certificateAuthorityData }: ApiServer): string {
  const path = join(folder, "ca.crt");
  writeFileSync(path, Buffer.from(certificateAuthorityData, "base64"));
  return path;
}

async function readCredentials(): Promise<void> {
  const { key, cert } = await apiServer.clientCertificate("anybody", "ebb");
  secrets["ebb/e2e/certificate"] = boundSecret(apiServer, { certificate: cert, key });
  secrets["ebb/e2e/stranger"] = boundSecret(apiServer, { token: apiServer.restrictedToken });
  secrets["ebb/e2e/expired"] = boundSecret(apiServer, { token: "a-token-that-nobody-has" });
  secrets["ebb/e2e/bare"] = apiServer.ebbToken;
  secrets["ebb/e2e/kubeconfig"] = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "ebb",
    clusters: [
      {
        name: "e2e",
        cluster: {
          server: apiServer.endpoint,
          "certificate-authority-data": apiServer.certificateAuthorityData,
        },
      },
    ],
    users: [{ name: "ebb", user: { token: apiServer.ebbToken } }],
    contexts: [{ name: "ebb", context: { cluster: "e2e", user: "ebb" } }],
  });
  const token = await eventually("the service account has a token", async () => {
    const path = "/api/v1/namespaces/ebb/secrets/ebb-token";
    const { data } = await apiServer.admin.get<{ data?: { token?: string } }>(path);
    expect(data?.token).toMatch(/./);
    return data?.token ?? "";
  });
  secrets["ebb/e2e"] = boundSecret(apiServer, { token: Buffer.from(token, "base64").toString("utf8") });
}

/** The service account as its file makes it, beside a group "ebb" that has all rights. */
async function expectNoRights(): Promise<void> {
  const cluster = await connect({ type: "token", secret: "ebb/e2e" });
  const refused = cluster.getScale(target, AbortSignal.timeout(30_000));
  expect(isFault(await refused.catch((reason: unknown) => reason), "forbidden")).toBe(true);
}

function connect(auth: ClusterAuth) {
  const { endpoint, certificateAuthorityData } = apiServer;
  const given = auth.type === "kubeconfig" ? {} : { endpoint, certificateAuthorityData };
  return clusters.connect({ name: "e2e", spec: { ...given, auth } }, AbortSignal.timeout(30_000));
}

test.each<ClusterAuth>([
  { type: "token", secret: "ebb/e2e" },
  { type: "clientCertificate", secret: "ebb/e2e/certificate" },
  { type: "kubeconfig", secret: "ebb/e2e/kubeconfig" },
])("$type may read and write a scale, and list pods", async (auth) => {
  const cluster = await connect(auth);
  const signal = AbortSignal.timeout(30_000);
  // The authorizer watches the bindings: it follows a moment later.
  const scale = await eventually("the binding holds", () => cluster.getScale(target, signal));
  const replicas = (scale.spec.replicas ?? 0) + 1;
  const written = await cluster.putScale(target, { ...scale, spec: { replicas } }, signal);
  expect(written.spec.replicas).toBe(replicas);
  expect(await cluster.listPods("default", "", signal)).toEqual([]);
});

test("the steps of ebb init for a token, typed with kubectl, write the secret of its entry", async () => {
  const built = buildCommand();
  const env = {
    HOME: folder,
    KUBECONFIG: apiServer.kubeconfig,
    PATH: [dirname(installed().kubectl), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
  };
  const type = async (script: string) => {
    const { got, status } = await runScript(script, { cwd: folder, env });
    expect([script, got, status]).toEqual([script, got, 0]);
    return got;
  };
  const steps = await type(`${built.command} init entries --from-kubeconfig --cluster e2e`);
  const [make = "", write = "", ...more] = [...steps.matchAll(/: (kubectl .*)$/gm)].map(([, command]) => command);
  expect(more).toEqual([]);
  await type(make);
  await type(write);
  const written: unknown = JSON.parse(readFileSync(join(folder, "secret.json"), "utf8"));
  expect(written).toEqual(JSON.parse(secrets["ebb/e2e"] ?? ""));
});

test("the granted rights end there: secrets and other objects stay closed", async () => {
  const review = async (verb: string, resource: string) => {
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const spec = { user: "ebb", groups: ["ebb"], resourceAttributes: { namespace: "default", verb, resource } };
    return (await apiServer.admin.create<{ status: { allowed: boolean } }>(path, { spec })).status.allowed;
  };
  expect(await review("list", "pods")).toBe(true);
  for (const [verb, resource] of [
    ["get", "secrets"],
    ["list", "secrets"],
    ["delete", "pods"],
    ["create", "pods"],
    ["get", "configmaps"],
  ] as const) {
    expect([verb, resource, await review(verb, resource)]).toEqual([verb, resource, false]);
  }
});

test.each([
  ["nothing granted", "ebb/e2e/stranger", "forbidden", /deployments\/scale/],
  ["a token that has expired", "ebb/e2e/expired", "unauthorized", /./],
  ["a secret that does not say where it may be used", "ebb/e2e/bare", "badEntry", /docs\/deploy\.md/],
] as const)("%s is reported by its kind", async (_name, secret, kind, message) => {
  const refused = (async () => {
    const cluster = await connect({ type: "token", secret });
    return cluster.getScale(target, AbortSignal.timeout(30_000));
  })();
  const error: unknown = await refused.catch((reason: unknown) => reason);
  expect(isFault(error, kind)).toBe(true);
  expect(String(error)).toMatch(message);
});
