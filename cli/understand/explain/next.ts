import { humanDuration } from "../../../lib/k8s/human-duration";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import type { Explanation, Next } from "../../../lib/read/explanation";
import type { Halt, NeverSynced } from "../../../lib/read/halt";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import type { Advice } from "../../../lib/model/advice";
import type { Caller } from "../../shell/advice/caller";
import { adviceText } from "../../shell/advice/print";
import type { HpaName } from "../../../lib/model/hpa-key";
import { advice } from "../../shell/advice/table";
import { inWords, kubectlName, replicas } from "./summary";
import type { Times } from "../../shell/print/times";

export type Said = string | Advice;

export function saidText(said: Said, caller: Caller): string {
  return typeof said === "string" ? said : adviceText(said, caller);
}

export function saying(before: string, { parts }: Advice): Advice {
  return { parts: [before, ...parts] };
}

export function nextText(facts: HpaFacts, { halt, next }: Explanation, times: Times): Said | undefined {
  if (halt !== undefined) return haltNext(halt, facts, times);
  if (next === undefined || "errors" in facts.entry) return undefined;
  return following(next, { hpa: facts.entry.hpa, cluster: facts.cluster.key }, times);
}

export function haltNext(halt: Halt, { cluster: { key: cluster }, namespace, name }: HpaFacts, times: Times): Said {
  const hpa = { cluster, namespace, name };
  switch (halt.reason) {
    case "InvalidEntry":
      return saying("ebb resumes it at the first sync after you ", advice.invalidHpa(hpa));
    case "InvalidCluster":
      return saying("ebb resumes it at the first sync after you ", advice.fixClusterEntry({ cluster }));
    case "BrokenState":
      return advice.brokenState(hpa);
    case "Paused": {
      const before =
        halt.until === undefined
          ? "nothing, until you "
          : `ebb resumes it at ${times.moment(halt.until)}; if you cannot wait, `;
      return saying(before, advice.resume(hpa));
    }
    case "NeverSynced":
      return firstSync(halt.cause, cluster, times);
  }
}

function firstSync(cause: NeverSynced, cluster: string, times: Times): Said {
  switch (cause.kind) {
    case "noShard":
      if (cause.due !== undefined) return `the tick creates one; its first sync is due by ${times.near(cause.due)}`;
      return saying("the tick creates one within a minute; if it does not, ", advice.askDoctor({ cluster }));
    case "shardFails":
      return advice.askDoctor({ cluster });
    case "shardLate":
      return saying("tick or sync does not run: ", advice.askStatus({ cluster }));
    case "new":
      return cause.due === undefined
        ? `its first sync is due within ${humanDuration(cause.periodMs)}`
        : `its first sync is due by ${times.near(cause.due)}`;
    case "missed":
      return advice.askDoctor({ cluster });
  }
}

interface Subject {
  readonly hpa: HorizontalPodAutoscaler;
  readonly cluster: string;
}

function following(next: Next, subject: Subject, times: Times): Said {
  switch (next.kind) {
    case "afterObstacle":
      return afterObstacle(next.reason, subject);
    case "dryRun":
      return `nothing while the dry run lasts; without it, the next sync scales to ${replicas(next.to)}`;
    case "moves":
      return moving(next, times);
    case "blind": {
      const it = next.metrics.length === 1 ? "it" : "they";
      return saying(`scaling resumes once ${it} can be read; `, advice.findFault(nameOf(subject)));
    }
    case "bounded":
      return next.by === "maxReplicas"
        ? "nothing, until maxReplicas is raised or the metrics ask for less"
        : "nothing, until minReplicas is lowered or the metrics ask for more";
    case "sparing":
      return next.isForCosts
        ? "down with the next sync, unless other pods are busy then"
        : "down with the first sync that finds fewer busy pods";
    case "waking":
      return `it wakes with work in ${next.slots} more ${next.slots === 1 ? "slot" : "slots in a row"}`;
    case "steady": {
      const blind = next.blind.length === 0 ? "" : `; no scale-down before ${inWords(next.blind)} can be read`;
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

function nameOf({ hpa: { metadata }, cluster }: Subject): HpaName {
  return { cluster, namespace: metadata.namespace ?? "default", name: metadata.name };
}

function afterObstacle(reason: string, subject: Subject): Said {
  const own = nameOf(subject);
  const todo = obstacleAdvice(reason, subject);
  if (todo !== undefined) return saying("nothing, until you ", todo);
  switch (reason) {
    case "ScalingDisabled":
      return saying("nothing, until you ", advice.adopt(own));
    case "FailedGetScale":
      return saying("every sync tries again; ", advice.findFault(own));
    case "SparedBusy":
    case "FailedUpdateScale":
      return "the next sync tries again";
    default:
      return "from the next sync on, the metrics decide again";
  }
}

/** Undefined: no person needs to act. */
export function obstacleAdvice(reason: string, { hpa }: Subject): Advice | undefined {
  switch (reason) {
    case "AmbiguousSelector":
      return advice.separateSelectors();
    case "SelectorRequired":
    case "InvalidSelector":
      return advice.selectPods({ target: kubectlName(hpa) });
    default:
      return undefined;
  }
}
