import { isPaused, readOperations } from "../../lib/model/entry/annotations";
import { hpaKey } from "../../lib/model/hpa-key";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { EpochMs } from "../../lib/k8s/time";
import type { State } from "../../lib/model/stored/state";
import { advice } from "../advice/table";
import { obstacleAdvice } from "../explain/next";
import { localTimes } from "../explain/times";
import { type Finding, fail } from "./finding";

interface Known {
  readonly cluster: string;
  readonly states: Readonly<Record<string, State>>;
  /** HPAs that the lines above are about already. */
  readonly reported: ReadonlySet<string>;
  readonly now: EpochMs;
}

/** What the last sync of each HPA could not do, as `ebb explain` shows it. */
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
    const [warning] = state?.warnings ?? [];
    const isHalted = "errors" in operations || isPaused(operations, now);
    if (state === undefined || warning === undefined || isHalted || reported.has(key)) return [];
    const { reason, message } = warning;
    const when = state.decision === undefined ? "" : ` at ${times.moment(state.decision.at)}`;
    const todo = obstacleAdvice(reason, { hpa, cluster }) ?? advice.askTheFunctions({ cluster, namespace, name });
    return [fail(`HPA ${key}: its last sync${when} did all it should`, `${reason}: ${message}`, todo)];
  });
}
