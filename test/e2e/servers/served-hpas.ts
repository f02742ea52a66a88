import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import type { KubectlVector } from "../../cli/kubectl-vectors";
import type { ApiServer } from "./api-server";
import { installed } from "./installed";
import { storeObject } from "./stored-objects";

const execute = promisify(execFile);
const resource = "horizontalpodautoscalers";

/** Of any version that the API server reads. */
type Stored = Pick<HorizontalPodAutoscaler, "metadata">;

const storeHpa = (apiServer: ApiServer, hpa: Stored, name = hpa.metadata.name) =>
  storeObject(apiServer, `${resource}/${hpa.metadata.namespace}/${name}`, hpa);

/** What the API server serves of this stored object, with the keys in its order. */
export async function serveHpa(apiServer: ApiServer, version: "v1" | "v2", hpa: Stored): Promise<Stored> {
  await storeHpa(apiServer, hpa, "asked");
  const path = `/apis/autoscaling/${version}/namespaces/${hpa.metadata.namespace}/${resource}/asked`;
  return withVersion(await apiServer.admin.get<Stored>(path), hpa);
}

/** What kubectl prints of these stored objects, each with a name of its own in one namespace. */
export async function printHpas(
  apiServer: ApiServer,
  hpas: readonly HorizontalPodAutoscaler[],
): Promise<readonly Omit<KubectlVector, "id">[]> {
  for (const hpa of hpas) await storeHpa(apiServer, hpa);
  const namespace = hpas[0]?.metadata.namespace ?? "";
  const names = hpas.map(({ metadata }) => metadata.name);
  const kubectl = async (...args: readonly string[]) => {
    const given = ["--kubeconfig", apiServer.kubeconfig, "-n", namespace, ...args];
    const env = { ...process.env, TZ: "UTC" };
    const { stdout } = await execute(installed().kubectl, given, { maxBuffer: 1 << 26, env });
    return stdout;
  };
  const objects = async (type: string) => {
    const { items } = JSON.parse(await kubectl("get", type, ...names, "-o", "json")) as {
      readonly items: readonly HorizontalPodAutoscaler[];
    };
    return items;
  };
  const v2 = await objects(`${resource}.v2.autoscaling`);
  const v1 = await objects("hpa.v1.autoscaling");
  const printed: Omit<KubectlVector, "id">[] = [];
  for (const [index, hpa] of hpas.entries()) {
    const { name } = hpa.metadata;
    const [header = "", row = ""] = (await kubectl("get", "hpa", name)).split("\n");
    printed.push({
      v2: withVersion(v2[index] ?? hpa, hpa),
      v1: withVersion(v1[index] ?? hpa, hpa),
      get: [header, row.replace(/\S+$/, "")],
      describe: await kubectl("describe", "hpa", name),
    });
  }
  return printed;
}

/** With the resourceVersion that it was stored with: the API server's is of this moment. */
function withVersion<T extends Stored>(served: T, { metadata: { resourceVersion } }: Stored): T {
  const { resourceVersion: _, ...others } = served.metadata;
  return { ...served, metadata: resourceVersion === undefined ? others : { ...served.metadata, resourceVersion } };
}
