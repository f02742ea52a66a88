import type { HpaSpec, MetricSpec } from "../../../../lib/k8s/hpa";
import { Fault } from "../../../../lib/model/fault";
import type { HpaKey } from "../../../../lib/model/hpa-key";
import { openFormulaSource } from "../../../../lib/sources/formula/formula";
import { operandsOf } from "../../../../lib/sources/formula/operands";
import { openEventRecorder } from "../../../../lib/sync/events/event-recorder";
import { syncShard } from "../../../../lib/sync/slot/sync-shard";
import type { SyncPorts } from "../../../../lib/sync/ports";
import { fakeCluster } from "../../../fakes/fake-cluster";
import { sourceEntry } from "../../../fakes/memory-items";
import { memoryStore } from "../../../fakes/memory-store";
import { answerQuestions } from "../../../small-heap/answer-questions";

/** HPAs with metrics of one SOURCE, beside an HPA of a neighbour. */
export interface Job {
  readonly hpas: number;
  readonly metrics: number;
  /** Of the source's parameters: as one text, or as many short ones. */
  readonly bytes: number;
  readonly isOneText: boolean;
  /** Each metric asks something else. */
  readonly areDistinct?: boolean;
  /** The metrics are formulas of so many operands, each of that source. */
  readonly operands?: number;
  /** The HPAs are at zero and watched. */
  readonly areIdle?: boolean;
}

export interface Synced {
  /** Of the neighbour, after a slot. */
  readonly replicas: number;
  readonly queries: number;
  /** What the HPAs say of their first and last metrics, without numbers. */
  readonly first: string;
  readonly last: string;
  readonly failures: readonly string[];
}

const start = Date.parse("2026-03-01T12:00:00Z");
const value = { metricName: "m", metricLabels: {}, timestamp: "2026-03-01T12:00:00Z", value: "15" };

/** One slot of a shard, as a function of 512 MB syncs it. */
answerQuestions(async (asked: Job): Promise<Synced> => {
  const store = memoryStore(() => start);
  const cluster = fakeCluster();
  const auth = { type: "token" as const, secret: "ebb/prod" };
  const entry = { name: "prod", spec: { endpoint: "https://prod.example", auth } };
  store.clusterEntries.set("prod", { key: "prod", value: entry });
  const shard = { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
  store.shardItems.set("prod#", shard);
  store.sourceEntries.set("prod large", sourceEntry("large", { kind: "web", parameters: parametersOf(asked) }));
  if (asked.operands !== undefined) {
    const operands = Array.from({ length: asked.operands }, (_, index) => ({
      ...{ name: `o${index}`, source: "large", labels: { own: `\${own}${index}` } },
    }));
    const parameters = { operands, vars: { own: "none" }, formula: operands.map(({ name }) => name).join("+") };
    store.sourceEntries.set("prod sum", sourceEntry("sum", { kind: "formula", parameters }));
  }
  const add = (key: HpaKey, metrics: readonly MetricSpec[]) => {
    const [namespace, name = ""] = key.split("/");
    const annotations = asked.areIdle === true ? { "ebb.dev/wake": "fast" } : {};
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
    const spec: HpaSpec = { scaleTargetRef, minReplicas: 0, maxReplicas: 10, metrics };
    store.documents.set(`prod ${key}`, { metadata: { namespace, name, annotations }, spec });
    cluster.add(key, 1);
  };
  for (let index = 0; index < asked.hpas; index++) add(`crowd/h${index}`, metricsOf(asked, index));
  add("zzz/neighbour", [external("own", {})]);

  let queries = 0;
  const answered = asked.areIdle === true ? { ...value, value: "0" } : value;
  const web = {
    ...{ isBuiltIn: false, keepMs: () => 0 },
    open: () => ({
      read: ({ parameters }: { readonly parameters: Readonly<Record<string, unknown>> }) => {
        queries += 1;
        // As sources do with what they parse.
        if (JSON.stringify(parameters).length < 0) throw new Fault("badEntry", "no parameters");
        return Promise.resolve({ items: [parameters["own"] === undefined ? value : answered] });
      },
    }),
  };
  const failures = new Set<string>();
  const reporter = {
    ...{ scaled: () => undefined, recovered: () => undefined, synced: () => undefined, ticked: () => undefined },
    failed: ({ message, reason }: { readonly reason: string; readonly message: string }) =>
      void failures.add(`${reason}: ${message.slice(0, 600)}`),
  };
  // A table is in no function's memory: of the states, this one keeps those that a test looks at.
  const first = store.stateItems.set.bind(store.stateItems);
  const isShown = (key: string) => key === "crowd/h0" || key === `crowd/h${asked.hpas - 1}` || key.startsWith("zzz");
  store.stateItems.set = (id, state) => {
    const { version, slot, targetUid, status, history, open } = state;
    const { conditions, desiredReplicas } = status;
    const small = { version, slot, targetUid, status: { conditions, desiredReplicas }, history, open } as typeof state;
    return first(id, isShown(id.slice("prod ".length)) ? state : small);
  };
  const ports: SyncPorts = {
    ...{ store, reporter, clusters: { connect: () => Promise.resolve(cluster) } },
    events: openEventRecorder({ store, reporter }),
    sources: {
      ...{ web, own: { ...web, isBuiltIn: true } },
      formula: { ...openFormulaSource(), isBuiltIn: false, operands: operandsOf },
    },
    poller: { byDefault: false },
    runMemory: 32 * 2 ** 20,
  };
  const context = { workedMs: () => 0, signal: new AbortController().signal };
  const slots = asked.areIdle === true ? 2 : 1;
  for (let slot = 0; slot < slots; slot++) {
    const at = start + slot * 600_000;
    const now = () => at + 200;
    const message = { cluster: "prod", from: "", slot: at, until: at + 600_000 };
    await syncShard(ports, message, { ...context, now, deadline: at + 600_000 });
  }
  const saysOf = (index: number) => {
    const conditions = store.stateItems.get(`prod crowd/h${index}`)?.status.conditions ?? [];
    return conditions
      .map(({ message = "" }) => message)
      .join("; ")
      .slice(0, 1_000);
  };
  return {
    replicas: cluster.scales.get("zzz/neighbour")?.replicas ?? 0,
    queries,
    first: saysOf(0),
    last: saysOf(asked.hpas - 1),
    failures: [...failures].slice(0, 10),
  };
});

function parametersOf({ bytes, isOneText }: Job): object {
  if (isOneText) return { text: "x".repeat(bytes) };
  return Object.fromEntries(Array.from({ length: Math.floor(bytes / 12) }, (_, index) => [`m${index}`, "v"]));
}

function metricsOf({ metrics, areDistinct, operands }: Job, hpa: number): readonly MetricSpec[] {
  const label = operands === undefined ? "own" : "var.own";
  const name = operands === undefined ? "large" : "sum";
  return Array.from({ length: metrics }, (_, index) =>
    external(name, areDistinct === true ? { [label]: `${hpa}-${index}` } : { [label]: "0" }),
  );
}

function external(name: string, matchLabels: Readonly<Record<string, string>>): MetricSpec {
  const target = { type: "AverageValue", averageValue: "5" } as const;
  return { type: "External", external: { metric: { name, selector: { matchLabels } }, target } };
}
