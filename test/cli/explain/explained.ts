import { plainCaller } from "../advice/plain-caller";
import { explainPage } from "../../../cli/understand/explain/page";
import { localTimes } from "../../../cli/shell/print/times";
import { evaluateEntry } from "../../../lib/core/evaluate-entry";
import { currentReplicas } from "../../../lib/core/gate";
import { rescaleFailed } from "../../../lib/sync/scale/intents";
import { explanationOf } from "../../../lib/read/explanation";
import { type Operations, readOperations } from "../../../lib/model/entry/annotations";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import type { Situation } from "../../../lib/model/situation";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import { at, noon, situationWith } from "../../core/build";

/** As a sync reads them. An entry whose annotations cannot be read is not decided. */
function operationsOf({ hpa }: Situation): Operations {
  const operations = readOperations(hpa.metadata);
  return "errors" in operations ? { paused: false, dryRun: false } : operations;
}

/** What the table holds after a sync of this situation at noon, its scale written. */
export function stateAfter(situation: Situation, failure?: string): State {
  const decided = evaluateEntry(situation, operationsOf(situation), noon);
  const decision = failure === undefined ? decided : rescaleFailed(situation, decided, failure, noon);
  const { status, history, recommendation, steps, desiredReplicas } = decision;
  const from = "error" in situation.scale ? null : currentReplicas(situation.scale);
  return {
    version: 1,
    slot: noon,
    status,
    history,
    open: recommendation !== null,
    decision: { at: noon, from, desiredReplicas, steps },
  };
}

export const shard: Shard = {
  cluster: "prod",
  from: "",
  to: null,
  version: 7,
  slot: noon,
  heartbeat: noon,
  behind: {},
  entries: 3,
};

/** What the table holds after that sync. */
export function factsWith(given: Partial<Situation> = {}, rest: Partial<HpaFacts> = {}): HpaFacts {
  const situation = situationWith(given);
  return {
    cluster: { key: "prod", value: { name: "prod", spec: { auth: { type: "token", secret: "t" } } } },
    namespace: "shop",
    name: "web",
    entry: { hpa: situation.hpa },
    state: stateAfter(situation),
    shard,
    ...rest,
  };
}

/** The page in UTC, `seconds` after noon. */
export function pageOf(facts: HpaFacts, seconds = 10): string {
  const times = localTimes(at(seconds), "UTC");
  const paper = { times, caller: plainCaller, columns: undefined, emphasize: (text: string) => text };
  return explainPage({ facts, explanation: explanationOf(facts, times.now) }, paper);
}

/** The page's lines, without empty ones and without the last two: the HPA's states, and what it is about. */
export function linesOf(facts: HpaFacts, seconds: number): readonly string[] {
  const lines = pageOf(facts, seconds).split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("  state ")).slice(0, -1);
}
