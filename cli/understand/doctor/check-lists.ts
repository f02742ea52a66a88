import { groupIn } from "../../../lib/k8s/api-version";
import type { AccessAttributes } from "../../../lib/cluster/api/access-review";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import { definitionRight } from "../../../lib/cluster/api/scales/definitions";
import { isCustom, mayBeListed } from "../../../lib/cluster/api/scales/scale-forms";
import { fewestListed } from "../../../lib/cluster/api/scales/scale-reads";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import type { Right } from "../../../lib/read/required-permissions";
import { advice } from "../../shell/advice/table";
import type { Grant } from "../../shell/advice/rows/clusters";
import { type Finding, ok } from "./finding";

export interface TargetKind extends Pick<Right, "group" | "resource"> {
  readonly kind: string;
}

/** Without the right to list, ebb reads scales one by one. Nothing fails then, so this is no failure. */
export async function checkLists(
  cluster: Pick<TargetCluster, "reviewAccess"> & Grant,
  { kinds, hpas }: { readonly kinds: readonly TargetKind[]; readonly hpas: readonly HorizontalPodAutoscaler[] },
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const may = async (verb: string, right: Omit<AccessAttributes, "verb">) =>
    (await cluster.reviewAccess({ verb, ...right }, signal)).allowed;
  const mayList = ({ group, resource }: TargetKind, namespace: string) => may("list", { group, resource, namespace });
  /** Only a custom kind's definition says where its scale is. */
  const mayRead = async (kind: TargetKind) => {
    if (!isCustom(kind)) return true;
    const { verbs: _verbs, ...definition } = definitionRight(kind);
    return may("get", definition);
  };

  const findings = kinds.filter(mayBeListed).map(async (kind) => {
    const counts = countTargets(hpas, kind);
    const count = [...counts.values()].reduce((sum, one) => sum + one, 0);
    if (count < fewestListed) return [];
    const name = kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`;
    const large = [...counts].filter(([, own]) => own >= fewestListed).map(([namespace]) => namespace);
    const inEach = async () => (await Promise.all(large.map((namespace) => mayList(kind, namespace)))).every(Boolean);
    const isListed = async () => (await mayList(kind, "")) || (large.length > 0 && (await inEach()));
    if ((await mayRead(kind)) && (await isListed()))
      return [ok(`may list ${name}: ${count} scales take a request or a few, not one each`)];
    const rights = `the right to list them${isCustom(kind) ? ", and to read their definition," : ""}`;
    const what = `reads ${count} scales of ${name} one by one`;
    return [
      ok(
        what,
        advice.allowLists({
          cluster: cluster.cluster,
          subject: cluster.subject,
          rights,
          everywhere: large.length === 0,
        }),
      ),
    ];
  });
  return (await Promise.all(findings)).flat();
}

function countTargets(hpas: readonly HorizontalPodAutoscaler[], { group, kind }: TargetKind): Map<string, number> {
  const names = new Map<string, Set<string>>();
  for (const { metadata, spec } of hpas) {
    const { apiVersion = "", kind: own, name } = spec.scaleTargetRef;
    const ownGroup = groupIn(apiVersion);
    if (ownGroup !== group || own !== kind) continue;
    const namespace = metadata.namespace ?? "default";
    names.set(namespace, (names.get(namespace) ?? new Set()).add(name));
  }
  return new Map([...names].map(([namespace, { size }]) => [namespace, size]));
}
