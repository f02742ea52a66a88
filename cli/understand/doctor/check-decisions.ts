import { isPaused, readOperations } from "../../../lib/model/entry/annotations";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import type { EpochMs } from "../../../lib/k8s/time";
import type { State } from "../../../lib/model/stored/state";
import { isLeftAtZero } from "../../../lib/model/hpa-signs";
import { willNotWake } from "../../../lib/model/hpa-states";
import { advice } from "../../shell/advice/table";
import { obstacleAdvice } from "../explain/next";
import { localTimes } from "../../shell/print/times";
import { type Finding, fail } from "./finding";

interface Known {
  readonly cluster: string;
  readonly states: Readonly<Record<string, State>>;
  readonly reported: ReadonlySet<string>;
  readonly now: EpochMs;
}

const asleep = `${willNotWake}: ebb did not scale it to zero, or did for an HPA of another name`;

export function checkDecisions(
  hpas: readonly HorizontalPodAutoscaler[],
  { cluster, states, reported, now }: Known,
): readonly Finding[] {
  const times = localTimes(now);
  return hpas.flatMap((hpa): Finding[] => {
    const { name, namespace = "default" } = hpa.metadata;
    const key = hpaKey(namespace, name);
    const state = Object.hasOwn(states, key) ? states[key] : undefined;
    const operations = readOperations(hpa.metadata);
    const isHalted = "errors" in operations || isPaused(operations, now);
    if (state === undefined || isHalted) return [];
    const own = { cluster, namespace, name };
    const zero = isLeftAtZero(state.decision)
      ? [fail(`HPA ${key}: its workload can wake`, asleep, advice.adoptOrPause(own))]
      : [];
    const [warning] = state.warnings ?? [];
    if (warning === undefined || reported.has(key)) return zero;
    const { reason, message } = warning;
    const when = state.decision === undefined ? "" : ` at ${times.moment(state.decision.at)}`;
    const todo = obstacleAdvice(reason, { hpa, cluster }) ?? advice.askTheFunctions(own);
    return [...zero, fail(`HPA ${key}: its last sync${when} did all it should`, `${reason}: ${message}`, todo)];
  });
}
