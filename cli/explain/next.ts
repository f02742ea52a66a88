import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { Digest } from "../../lib/core/explain/digest";
import type { Move } from "../../lib/core/explain/forecast";
import { minReplicas } from "../../lib/core/gate";
import type { Account } from "./account";
import { kubectlName } from "./kubectl-name";
import type { Standing } from "./standing";
import { replicas } from "./summary";
import type { Times } from "./times";

/** What happens next, and when; or what somebody has to do so that something does. */
export function nextOf({ cluster, entry }: Standing, account: Account, times: Times): string | undefined {
  const { halt, decision, moves } = account;
  if (halt !== undefined) return halt.next;
  if (decision === undefined || "errors" in entry) return undefined;
  const { hpa } = entry;
  if (decision.obstacle !== undefined) return afterObstacle(decision.obstacle.reason, hpa, cluster.key);
  if (account.isDryRun) return "nothing: a dry run scales nothing";
  const [first] = moves;
  return first === undefined ? withoutMove(decision, hpa, cluster.key) : foretold(first, moves, times);
}

function foretold(first: Move, moves: readonly Move[], times: Times): string {
  const at = first.at <= times.now ? "with the next sync" : `at ${times.near(first.at)}`;
  const last = moves.at(-1) ?? first;
  const onwards = last === first ? "" : `, and on to ${last.to} by ${times.near(last.at)}`;
  const direction = first.to > first.from ? "up" : "down";
  return `${direction} to ${replicas(first.to)} ${at}${onwards}, while the metrics stay as they are`;
}

function withoutMove({ proposed, metrics }: Digest, hpa: HorizontalPodAutoscaler, cluster: string): string {
  const lost = metrics.filter(({ asksFor }) => asksFor === null).map(({ metric }) => metric);
  const them = lost.length === 1 ? "it" : "they";
  if (proposed === null)
    return `by itself again once ${them} can be read; what keeps ${them === "it" ? "it" : "them"}: ebb doctor ${cluster}`;
  if (proposed > hpa.spec.maxReplicas) return `nothing, until maxReplicas is raised or the metrics ask for less`;
  if (proposed < minReplicas(hpa)) return `nothing, until minReplicas is lowered or the metrics ask for more`;
  const blind = lost.length === 0 ? "" : `; and not down before ${lost.join(" and ")} can be read`;
  return `nothing, while the metrics stay as they are${blind}`;
}

function afterObstacle(reason: string, hpa: HorizontalPodAutoscaler, cluster: string): string {
  const namespace = hpa.metadata.namespace ?? "default";
  const target = kubectlName(hpa);
  switch (reason) {
    case "ScalingDisabled":
      return `nothing, until it has a replica: kubectl scale ${target} -n ${namespace} --replicas=1`;
    case "FailedGetScale":
      return `every sync tries again; what keeps it: ebb doctor ${cluster} -n ${namespace}`;
    case "FailedUpdateScale":
      return "the next sync tries again";
    case "AmbiguousSelector":
      return "nothing, until one HPA alone matches these pods: delete the other, or tell the targets' selectors apart";
    case "SelectorRequired":
    case "InvalidSelector":
      return `nothing, until the scale of ${target} names its pods by a selector`;
    default:
      return "the metrics decide again from the next sync on";
  }
}
