import { humanDuration } from "../../lib/k8s/printing/human-duration";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { Explanation, Next } from "../../lib/read/explanation";
import type { Halt, NeverSynced } from "../../lib/read/halt";
import type { HpaFacts } from "../../lib/read/hpa-facts";
import { kubectlName, replicas } from "./summary";
import type { Times } from "./times";

/** What happens next, and when; or what somebody has to do first. */
export function nextText(facts: HpaFacts, { halt, next }: Explanation, times: Times): string | undefined {
  if (halt !== undefined) return haltNext(halt, facts, times);
  if (next === undefined || "errors" in facts.entry) return undefined;
  return following(next, { hpa: facts.entry.hpa, cluster: facts.cluster.key }, times);
}

/** What ends a halt. */
export function haltNext(halt: Halt, { cluster: { key: cluster }, namespace, name }: HpaFacts, times: Times): string {
  switch (halt.reason) {
    case "InvalidEntry":
      return `ebb resumes it at the first sync after you fix the entry: ebb edit hpa ${name} -n ${namespace} --cluster ${cluster}`;
    case "InvalidCluster":
      return `ebb resumes it at the first sync after you fix the cluster's entry: ebb get cluster ${cluster} -o yaml`;
    case "BrokenState":
      return (
        "if a newer version of ebb wrote the item, deploy that version; otherwise fix or delete the item " +
        `STATE#${namespace}/${name}: if you delete it, the HPA starts again without its recommendations`
      );
    case "Paused": {
      const resume = `ebb resume hpa ${name} -n ${namespace}`;
      return halt.until === undefined
        ? `nothing, until you resume it: ${resume}`
        : `ebb resumes it at ${times.moment(halt.until)}; to resume it now: ${resume}`;
    }
    case "NeverSynced":
      return firstSync(halt.cause, cluster);
  }
}

function firstSync(cause: NeverSynced, cluster: string): string {
  switch (cause.kind) {
    case "noShard":
      return "the tick creates one within a minute; if it does not, see ebb doctor";
    case "shardFails":
      return `see ebb doctor ${cluster}`;
    case "shardLate":
      return "tick or sync does not run: see ebb status and ebb doctor";
    case "new":
      return `its first sync is due within ${humanDuration(cause.periodMs)}`;
  }
}

interface Subject {
  readonly hpa: HorizontalPodAutoscaler;
  readonly cluster: string;
}

function following(next: Next, subject: Subject, times: Times): string {
  switch (next.kind) {
    case "afterObstacle":
      return afterObstacle(next.reason, subject);
    case "dryRun":
      return `nothing while the dry run lasts; without it, the next sync scales to ${replicas(next.to)}`;
    case "moves":
      return moving(next, times);
    case "blind": {
      const it = next.metrics.length === 1 ? "it" : "they";
      return `scaling resumes once ${it} can be read; to see why ${it} cannot: ebb doctor ${subject.cluster}`;
    }
    case "bounded":
      return next.by === "maxReplicas"
        ? "nothing, until maxReplicas is raised or the metrics ask for less"
        : "nothing, until minReplicas is lowered or the metrics ask for more";
    case "waking":
      return `it wakes with work in ${next.slots} more ${next.slots === 1 ? "slot" : "slots in a row"}`;
    case "steady": {
      const blind = next.blind.length === 0 ? "" : `; no scale-down before ${next.blind.join(" and ")} can be read`;
      return `nothing, while the metrics stay as they are${blind}`;
    }
  }
}

function moving({ first, last, isDryRun }: Extract<Next, { kind: "moves" }>, times: Times): string {
  const at = first.at <= times.now ? "with the next sync" : `at ${times.near(first.at)}`;
  if (isDryRun)
    return `it would scale to ${replicas(first.to)} ${at} (dry run), while the metrics and the size stay as they are`;
  const onwards = last === first ? "" : `, and on to ${last.to} by ${times.near(last.at)}`;
  const direction = first.to > first.from ? "up" : "down";
  return `${direction} to ${replicas(first.to)} ${at}${onwards}, while the metrics stay as they are`;
}

function afterObstacle(reason: string, subject: Subject): string {
  const { hpa, cluster } = subject;
  const namespace = hpa.metadata.namespace ?? "default";
  const target = kubectlName(hpa);
  const advice = obstacleAdvice(reason, subject);
  if (advice !== undefined) return `nothing, until ${advice}`;
  switch (reason) {
    case "ScalingDisabled":
      return `nothing, until it has a replica: kubectl scale ${target} -n ${namespace} --replicas=1`;
    case "FailedGetScale":
      return `every sync tries again; to see why it fails: ebb doctor ${cluster} -n ${namespace}`;
    case "FailedUpdateScale":
      return "the next sync tries again";
    default:
      return "from the next sync on, the metrics decide again";
  }
}

/** What ends an obstacle that only a person can end; undefined for any other. */
export function obstacleAdvice(reason: string, { hpa }: Subject): string | undefined {
  switch (reason) {
    case "AmbiguousSelector":
      return "only one HPA matches these pods: delete the other, or make the targets' selectors differ";
    case "SelectorRequired":
    case "InvalidSelector":
      return `the scale of ${kubectlName(hpa)} selects its pods`;
    default:
      return undefined;
  }
}
