import { openStore } from "../../lib/table/store";
import { customKind } from "../../local/demo/demo-workloads";
import { putCluster, putHpa } from "../../local/entries";
import { shard, stateAfter } from "../cli/explain/explained";
import { ebb } from "../cli/run-ebb";
import { tableForTests } from "../cli/table";
import { doctorContract } from "../contract/doctor-contract";
import { external, hpaWith, scaleOf, situationWith } from "../core/build";
import { type ApiServer, startApiServer } from "./servers/api-server";
import { eventually } from "./servers/eventually";
import { grantDocumentedRoles } from "./servers/grant";

/** Without any one rule of infra/kubernetes/rbac.yaml, exactly its line of `ebb doctor` fails and says what to do. */
const rbac = "/apis/rbac.authorization.k8s.io/v1";

doctorContract("a real kube-apiserver", async () => {
  const apiServer = await startApiServer();
  await grantDocumentedRoles(apiServer);
  const { endpoint, certificateAuthorityData, ebbToken: token, admin } = apiServer;
  const isAllowed = async (verb: string, group: string, resource: string): Promise<boolean> => {
    const [plural, subresource] = resource.split("/");
    const where = { verb, group, resource: plural, ...(subresource === undefined ? {} : { subresource }) };
    const spec = { user: "ebb", groups: ["ebb"], resourceAttributes: { namespace: "shop", ...where } };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    return (await admin.create<{ status: { allowed: boolean } }>(path, { spec })).status.allowed;
  };
  const documented = await admin.get<{
    rules: readonly { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  }>(`${rbac}/clusterroles/ebb`);
  return {
    ...{ endpoint, certificateAuthorityData, token },
    async grant(rules) {
      await admin.patch(`${rbac}/clusterroles/ebb`, { rules });
      // The authorizer watches the roles: it follows a moment later.
      await eventually("the rules hold", async () => {
        for (const { apiGroups, resources, verbs } of documented.rules) {
          const [group = "", resource = "", verb = ""] = [apiGroups[0], resources[0], verbs.at(-1)];
          const isGranted = rules.some((rule) => rule.apiGroups[0] === group && rule.resources[0] === resource);
          expect([group, resource, await isAllowed(verb, group, resource)]).toEqual([group, resource, isGranted]);
        }
        return undefined;
      });
    },
    close: () => apiServer.stop(),
  };
});

describe("what ebb doctor says to type on a real API server", () => {
  const { table, folder } = tableForTests();
  const { signal } = new AbortController();
  let apiServer: ApiServer;

  beforeAll(async () => {
    apiServer = await startApiServer();
    await putCluster(table(), "prod", { auth: { type: "kubeconfig", file: apiServer.kubeconfig } });
    const store = openStore({ client: table().client, table: table().name, now: Date.now });
    const slot = Date.now() + 60_000;
    await store.createShard({ ...shard, version: 1, slot, heartbeat: slot }, signal);
  });
  afterAll(() => apiServer.stop());

  const env = () => ({ KUBECONFIG: apiServer.kubeconfig });
  const doctor = () => ebb(["doctor", "prod", "--directory", folder()], { table: table(), env: env() });

  test("a workload that does not wake, of a kind whose singular is another word, is adopted by it", async () => {
    const { admin } = apiServer;
    const definition = customKind({ group: "jobs.example.com", kind: "Worker", names: { singular: "hand" } });
    await admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    await admin.create("/api/v1/namespaces", { metadata: { name: "shop" } });
    const workers = "/apis/jobs.example.com/v1/namespaces/shop/workers";
    const worker = {
      apiVersion: "jobs.example.com/v1",
      kind: "Worker",
      metadata: { name: "w" },
      spec: { replicas: 0 },
    };
    await eventually("the kind is served", async () => admin.create(workers, worker));
    const scaleTargetRef = { apiVersion: "jobs.example.com/v1", kind: "Worker", name: "w" };
    const hpa = hpaWith({ scaleTargetRef });
    await putHpa(table(), "prod", hpa);
    const store = openStore({ client: table().client, table: table().name, now: Date.now });
    const state = stateAfter(situationWith({ hpa, scale: scaleOf(0), metrics: [external("30")] }));
    await store.putState("prod", "shop/web", state, signal);

    const line = (await doctor()).stdout.split("\n").find((one) => one.includes("its workload can wake")) ?? "";
    const [, command = ""] = /`ebb ([^`]*)`/.exec(line) ?? [];
    const { stdout } = await ebb([...command.split(" "), "--directory", folder()], { table: table(), env: env() });
    expect(stdout).toContain("adopt");
    const { metadata } = await admin.get<{ metadata: Record<string, string> }>(`${workers}/w`);
    expect(await store.document("prod", "shop/web", signal)).toMatchObject({
      metadata: { annotations: { "ebb.dev/adopt-zero": `${metadata["uid"]}/${metadata["resourceVersion"]}` } },
    });
  });
});
