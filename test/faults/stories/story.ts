import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { MetricRules } from "../../../lib/model/metric/metric-rules";
import type { Budget, CrowdTarget } from "../sizes/size-plan";

/** Everything that a run depends on. The same story gives the same run, to the last call. */
export interface Story {
  readonly seed: number;
  readonly setting: Setting;
  readonly hpas: readonly HpaPlan[];
  /** In order of time. */
  readonly acts: readonly Act[];
  readonly incidents: readonly Incident[];
  /** From here on no incident begins. */
  readonly faultsEndMs: number;
  /** From here on nothing goes wrong any more. */
  readonly calmAtMs: number;
  /** When every healthy HPA must be where its metrics want it. */
  readonly checksMs: readonly number[];
  readonly endMs: number;
  readonly crowd?: Crowd;
}

/** Entries and items by the thousand, and large ones, beside those of `hpas`: docs/decisions/0078. */
export interface Crowd {
  readonly name: string;
  /** Plain attributes. */
  readonly items: readonly object[];
  readonly targets: readonly CrowdTarget[];
  readonly values: Readonly<Record<string, number>>;
  readonly planted: readonly PlantedItem[];
  /** Of each invocation. */
  readonly budget: Budget;
}

/** An item that somebody writes again whenever ebb has written or deleted the one with this key. */
export interface PlantedItem {
  /** Plain attributes. A Uint8Array is bytes. */
  readonly item: Readonly<Record<string, unknown>>;
  /** Attributes of ebb's item that this one has as well. */
  readonly keeps?: readonly string[];
}

export interface Setting {
  readonly periodSeconds: number;
  readonly downscaleStabilizationSeconds: number;
  /** How far each new process' clock is ahead. They take turns. */
  readonly skewsMs: readonly number[];
  /** How far eventually consistent reads lag behind. */
  readonly lagMs: number;
  readonly batchSize: number;
  /** How many syncs run at once. Default: any number. */
  readonly maximumConcurrency?: number;
  /** Clusters are reached over HTTP, with the real decoders and limiters. */
  readonly isServed?: true;
  /** How far a clock runs away before it is set right again, every ten minutes. */
  readonly driftMs?: number;
  /** What runs when the story begins. Default: the code under test. */
  readonly firstVersion?: Deployed;
  /** Nothing fails but what acts break: every other HPA must be looked at in each slot, or in the one after it. */
  readonly isStrict?: true;
  /** Processes load everything in each slot. */
  readonly keepsNothing?: true;
  /** Own sync periods are annotations, which 0.1.0 ignores. */
  readonly annotatesPeriods?: true;
  /** HPAs at zero are watched, and the poller starts each minute. */
  readonly watch?: { readonly budget: number };
  /** Of each function. Absent: nothing that depends on it is bounded. */
  readonly memoryMegabytes?: number;
}

export interface HpaPlan {
  /** "namespace/name", also of its Deployment. */
  readonly key: string;
  /** Default: "prod". No two HPAs of a story have the same key. */
  readonly cluster?: string;
  readonly spec: HpaSpec;
  readonly replicas: number;
  /** Of its metrics, by name: the annotation ebb.dev/metric-rules, whatever other annotations it has. */
  readonly rules?: Readonly<Record<string, MetricRules>>;
  /** The annotation ebb.dev/zero, whatever other annotations it has. */
  readonly zero?: PlannedZero;
  /** Its pods have jobs. The annotations ebb.dev/busy and beside it, whatever other annotations it has. */
  readonly busy?: PlannedBusy;
  /** Its entry is created by an act. */
  readonly isLater?: true;
}

export interface PlannedZero {
  readonly afterSeconds: number;
  readonly from: number;
}

export interface PlannedBusy {
  readonly source: BusySourceKind;
  readonly spares: boolean;
  readonly spareForSeconds?: number;
}

export type BusySourceKind = "annotation" | "metric" | "http";
/** How a pod cannot be read: its object is odd, or what it answers, by the other two sources. */
export type Unread = "item" | "hang" | "refuse" | "nonsense";

/** What users, workloads and the platform do. `atMs`: since the start of the story. */
export type Act = { readonly atMs: number } & (
  | { readonly do: "load"; readonly hpa: string; readonly metric: number; readonly depth: number }
  | { readonly do: "blind"; readonly hpa: string; readonly metric: number; readonly answer: BadAnswer }
  | { readonly do: "scale"; readonly hpa: string; readonly replicas: number }
  /** Somebody names the target's present zero, and asks `afterMs` later to adopt it. */
  | { readonly do: "adopt"; readonly hpa: string; readonly afterMs: number }
  | { readonly do: "touch"; readonly hpa: string }
  | { readonly do: "recreate"; readonly hpa: string; readonly replicas: number }
  | { readonly do: "edit"; readonly hpa: string; readonly spec: Partial<HpaSpec> }
  | { readonly do: "annotate"; readonly hpa: string; readonly annotations: Readonly<Record<string, string>> }
  | { readonly do: "spoil"; readonly hpa: string; readonly how: Spoiling }
  | { readonly do: "delete"; readonly hpa: string }
  | { readonly do: "create"; readonly hpa: string }
  /** The next message that becomes due is delivered again later; or is late, or ends in the dead letters until then. */
  | { readonly do: "again" | "late" | "redrive"; readonly byMs: number }
  /** The next tick does not happen, happens twice, or fires late in its minute. */
  | { readonly do: "noTick" | "twoTicks" | "lateTick" }
  /** The next wake's stream record is lost, or comes twice. */
  | { readonly do: "noWake" | "twoWakes" }
  /** From now on, invocations that begin run these versions of ebb. */
  | { readonly do: "deploy"; readonly version: Deployed }
  /** All dead letters return to the queue. */
  | { readonly do: "redriveAll" }
  /** Some places of an item become something else. `how` chooses which. */
  | { readonly do: "corrupt"; readonly hpa: string; readonly item: "HPA" | "STATE" | "EVENTS"; readonly how: number }
  | {
      readonly do: "corruptCluster";
      readonly cluster: string;
      readonly item: "CLUSTER" | "SHARD";
      readonly how: number;
    }
  /** An item with a key that nobody should write. */
  | { readonly do: "stray"; readonly cluster: string; readonly how: number }
  /** What the documentation says to do: the entry is written again, an item of ebb's is deleted. */
  | { readonly do: "repair"; readonly hpa: string }
  | { readonly do: "repairCluster"; readonly cluster: string }
  /** Somebody writes this item, in plain attributes. */
  | { readonly do: "put"; readonly item: Readonly<Record<string, unknown>> }
  /** So many requests for a queue, of one cluster or of all, come in one event. */
  | { readonly do: "alarm"; readonly queue: string; readonly cluster?: string; readonly times: number }
  /** The function `wake` gets this event. */
  | { readonly do: "wake"; readonly records: readonly unknown[] }
  /** For a while, answers about this HPA, or of its namespace's lists, are something else. */
  | { readonly do: "lie"; readonly hpa: string; readonly about: Lie; readonly how: number; readonly ms: number }
  /** For a while, a cluster's API server does this to each request. */
  | { readonly do: "outage"; readonly cluster: string; readonly how: Outage; readonly ms: number }
  | { readonly do: "stalePods"; readonly hpa: string; readonly of: "list" | "metrics"; readonly ms: number }
  | { readonly do: "missingPods"; readonly hpa: string; readonly every: number; readonly ms: number }
  /** Of the Ready pods at these positions, a job begins or ends. */
  | { readonly do: "work"; readonly hpa: string; readonly pods: readonly number[] }
  | { readonly do: "unready"; readonly hpa: string; readonly pod: number; readonly ms: number }
  | { readonly do: "unread"; readonly hpa: string; readonly pod: number; readonly how: Unread; readonly ms: number }
  /** Somebody sets a pod's deletion cost, or takes it away. */
  | { readonly do: "cost"; readonly hpa: string; readonly pod: number; readonly cost?: string }
  /** The pods go one by one, and pods of another ReplicaSet come. */
  | { readonly do: "rollOut"; readonly hpa: string; readonly everyMs: number }
  | { readonly do: "busy"; readonly hpa: string; readonly busy?: PlannedBusy }
  /** Remembers what ebb has written, and the sizes of the targets. */
  | { readonly do: "backUp" }
  /** They are as they were then: what ebb wrote, or the targets' sizes. */
  | { readonly do: "putBack"; readonly of: "table" }
  | { readonly do: "putBack"; readonly of: "cluster"; readonly isMadeAgain: boolean }
);

/** The code under test, and 0.1.0. */
export type Version = "new" | "old";
export type Deployed = Version | "both";
export type Lie = "scale" | "metric" | "pods" | "podMetrics";
export type Outage = "hang" | "refuse" | "garbage";

export type BadAnswer = "error" | "empty" | "hang" | "nonsense";
export type Spoiling = "nullMetric" | "nullMetadata" | "badBounds" | "badState" | "oddState";

export type IncidentKind =
  /** An error instead of the effect. */
  | "refused"
  /** The effect, and then an error. */
  | "failedAfter"
  /** The effect, and no answer. */
  | "answerLost"
  /** No answer, and the effect `ms` later. */
  | "late"
  /** The effect and the answer, `ms` later. */
  | "slow"
  /** The process is paused for `ms`, with its request not yet sent, or with the answer on its way. */
  | "freezeBefore"
  | "freezeAfter"
  /** The process ends. */
  | "killBefore"
  | "killAfter";

/**
 * What happens to one call: of the first invocation of `fn` that starts at `atMs` or later; with `on`, the first call
 * whose name begins so.
 */
export interface Incident {
  readonly atMs: number;
  /** It does not begin later. */
  readonly untilMs?: number;
  readonly fn: "sync" | "tick" | "wake" | "watch";
  /** 1 is the invocation's first call. Without meaning with `on`. */
  readonly call: number;
  readonly on?: string;
  readonly kind: IncidentKind;
  readonly ms?: number;
  /** Happens to every attempt of the SDK, not only to the first. */
  readonly isLasting?: true;
  /** The process' clock stands still while it is paused. */
  readonly clockStops?: true;
  /** Chooses among the errors that can be answered. */
  readonly variant?: number;
}

/** In every other story, processes load everything in each slot: more of their calls meet an accident. */
export function keeping(seed: number): Pick<Setting, "keepsNothing"> {
  return seed % 2 === 0 ? { keepsNothing: true } : {};
}
