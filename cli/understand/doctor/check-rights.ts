import type { TargetCluster } from "../../../lib/cluster/cluster";
import { advice } from "../../shell/advice/table";
import type { Grant } from "../../shell/advice/rows/clusters";
import { type Finding, fail, ok } from "./finding";
import type { Right } from "../../../lib/read/required-permissions";

interface Reviewed extends Pick<TargetCluster, "reviewAccess">, Grant {}

/** One finding for each permission and namespace; a single one if it is granted in all. Rejects with a Fault. */
export async function checkRights(
  cluster: Reviewed,
  rights: readonly Right[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const byResource = new Map<string, Right[]>();
  for (const right of rights) {
    const name = `${nameOf(right)} ${right.verbs.join()}`;
    byResource.set(name, [...(byResource.get(name) ?? []), right]);
  }
  const findings = [...byResource.values()].map(async (same) => {
    const [first] = same;
    if (first === undefined) return [];
    const everywhere = await missingVerbs(cluster, { ...first, namespace: "" }, signal);
    if (everywhere.length === 0) return [ok(`may ${first.verbs.join(" and ")} ${nameOf(first)}`)];
    return Promise.all(same.map((right) => checkRight(cluster, right, signal)));
  });
  return (await Promise.all(findings)).flat();
}

async function checkRight(cluster: Reviewed, right: Right, signal: AbortSignal): Promise<Finding> {
  const missing = await missingVerbs(cluster, right, signal);
  const where = `in namespace ${right.namespace}`;
  if (missing.length === 0) return ok(`may ${right.verbs.join(" and ")} ${nameOf(right)} ${where}`);
  const { group, verbs } = right;
  const names = right.name === undefined ? "" : ` resourceNames: ["${right.name}"],`;
  const rule = `{apiGroups: ["${group}"], resources: ["${resourceOf(right)}"],${names} verbs: [${verbs.join(", ")}]}`;
  const what = `may ${right.verbs.join(" and ")} ${nameOf(right)} ${where}`;
  const grant = { cluster: cluster.cluster, subject: cluster.subject, rule };
  const todo = cluster.role === undefined ? advice.grantRights(grant) : advice.joinGroup({ ...grant, ...cluster.role });
  return fail(what, `${missing.join(" and ")} not allowed`, todo);
}

async function missingVerbs(
  cluster: Reviewed,
  { verbs, ...attributes }: Right,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const reviews = await Promise.all(verbs.map((verb) => cluster.reviewAccess({ verb, ...attributes }, signal)));
  return verbs.filter((_, index) => reviews[index]?.allowed !== true);
}

function resourceOf({ resource, subresource }: Right): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

/** "deployments.apps/scale", "pods", "depth.external.metrics.k8s.io", "services/proxy prometheus:9090". */
function nameOf({ group, resource, subresource, name }: Right): string {
  const whole = `${resource}${group === "" ? "" : `.${group}`}${subresource === undefined ? "" : `/${subresource}`}`;
  return name === undefined ? whole : `${whole} ${name}`;
}
