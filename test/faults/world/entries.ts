import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { HpaKey } from "../../../lib/model/hpa-key";
import { toItem } from "../../../lib/table/items/attributes";
import { clusterKey, hpaItemKey, stateKey } from "../../../lib/table/items/keys";
import type { Checker } from "../checks/checker";
import type { Act, HpaPlan, PlannedBusy, Setting } from "../stories/story";
import type { WorldClock } from "./clock";
import type { Item, MemoryTable } from "./memory-table";

/** Of a pod that has a job. */
export const busyMark = "worker.example/busy";

export interface Entry extends Omit<HpaPlan, "spec" | "busy"> {
  spec: HpaSpec;
  busy?: PlannedBusy | undefined;
  annotations: Readonly<Record<string, string>>;
  isThere: boolean;
  /** The zero that somebody asked ebb to adopt. */
  adopts?: string;
}

export type Edit = Extract<Act, { readonly do: "edit" | "annotate" | "busy" | "spoil" | "delete" | "create" }>;

export interface EntriesDeps {
  readonly clock: WorldClock;
  readonly setting: Setting;
  readonly table: MemoryTable;
  readonly checker: Checker;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly clusterOf: (key: string) => string;
  /** The table's stream invokes the function. */
  readonly wake: (records: readonly unknown[]) => void;
}

/** What users write into the table, and the stream that says so. */
export function openEntries({ clock, setting, table, checker, entries, clusterOf, wake }: EntriesDeps) {
  let nextWake: Act["do"] | undefined;
  let isOpen = false;

  /** The stream's record of a write. */
  function announce(dynamodb: object): void {
    const how = nextWake;
    if (!isOpen) return;
    nextWake = undefined;
    if (how === "noWake") return;
    for (const delay of how === "twoWakes" ? [300, 900] : [300])
      clock.after(delay, undefined, () => wake([{ dynamodb }]));
  }

  function write(plan: Entry, more: object = {}): void {
    const rules = plan.rules && { "ebb.dev/metric-rules": JSON.stringify(plan.rules) };
    const zero = plan.zero && {
      "ebb.dev/zero": JSON.stringify({ after: `${plan.zero.afterSeconds}s`, from: plan.zero.from }),
    };
    const adopts = plan.adopts === undefined ? {} : { "ebb.dev/adopt-zero": plan.adopts };
    const { spec, period } = withoutPeriod(plan.spec);
    const document = {
      metadata: {
        annotations: { ...plan.annotations, ...rules, ...zero, ...adopts, ...period, ...busyAnnotations(plan) },
      },
      spec,
      ...more,
    };
    const { pk, sk } = hpaItemKey(clusterOf(plan.key), plan.key as HpaKey);
    const Item = toItem({ pk, sk, ...document });
    const before = table.item(pk, sk);
    table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
    checker.entryWritten(plan.key, Object.keys(more).length > 0 ? undefined : plan);
    announce({ Keys: { pk: { S: pk }, sk: { S: sk } }, OldImage: before, NewImage: Item });
  }

  function withoutPeriod({ syncPeriodSeconds, ...spec }: HpaSpec) {
    if (syncPeriodSeconds === undefined) return { spec };
    if (setting.annotatesPeriods !== true) return { spec: { ...spec, syncPeriodSeconds } };
    return { spec, period: { "ebb.dev/sync-period": `${syncPeriodSeconds}s` } };
  }

  function writeCluster(cluster: string): void {
    const auth = { type: "token", secret: `ebb/${cluster}` };
    const { periodSeconds: syncPeriodSeconds, downscaleStabilizationSeconds } = setting;
    const options = { syncPeriodSeconds, downscaleStabilizationSeconds };
    const item = { ...clusterKey(cluster), spec: { endpoint: `https://${cluster}.example`, auth, options } };
    table.execute({ action: "PutItem", input: { TableName: "ebb", Item: toItem(item) } });
  }

  function remove(entry: Entry): void {
    const { pk, sk } = hpaItemKey(clusterOf(entry.key), entry.key as HpaKey);
    entry.isThere = false;
    const before = table.item(pk, sk);
    table.execute({ action: "DeleteItem", input: { TableName: "ebb", Key: toItem({ pk, sk }) } });
    checker.entryWritten(entry.key, undefined);
    announce({ Keys: { pk: { S: pk }, sk: { S: sk } }, OldImage: before });
  }

  function spoil(how: Extract<Edit, { do: "spoil" }>["how"], entry: Entry): void {
    if (how === "badState" || how === "oddState") {
      const keys = stateKey(clusterOf(entry.key), entry.key as HpaKey);
      const item = table.item(keys.pk, keys.sk) ?? toItem({ ...keys, version: 7 });
      const odd: Item = how === "badState" ? { history: { S: "half-written" } } : { toString: { S: "odd" } };
      checker.spoiled(entry.key);
      table.execute({ action: "PutItem", input: { TableName: "ebb", Item: { ...item, ...odd } } });
      return;
    }
    if (!entry.isThere) return;
    checker.spoiled(entry.key);
    if (how === "nullMetric") write(entry, { spec: { ...entry.spec, metrics: [null] } });
    else if (how === "nullMetadata") write(entry, { metadata: null });
    else write(entry, { spec: { ...entry.spec, minReplicas: 9, maxReplicas: 2 } });
  }

  return {
    announce,
    write,
    /** From now on, writes invoke the function. */
    open: () => void (isOpen = true),
    /** What happens to the next record of the stream. */
    meetNext: (how: "noWake" | "twoWakes") => void (nextWake = how),
    writeCluster,
    adopt(key: string, zero: string): void {
      const entry = entries.get(key);
      if (entry?.isThere !== true) return;
      entry.adopts = zero;
      write(entry);
    },
    edit(each: Edit): void {
      const entry = entries.get(each.hpa);
      if (entry === undefined) return;
      switch (each.do) {
        case "edit":
          entry.spec = { ...entry.spec, ...each.spec };
          if (entry.isThere) write(entry);
          return;
        case "annotate":
          entry.annotations = each.annotations;
          if (entry.isThere) write(entry);
          return;
        case "busy":
          entry.busy = each.busy;
          if (entry.isThere) write(entry);
          return;
        case "create":
          entry.isThere = true;
          return write(entry);
        case "delete":
          return entry.isThere ? remove(entry) : undefined;
        case "spoil":
          return spoil(each.how, entry);
      }
    },
  };
}

const busySources = { annotation: `annotation: ${busyMark}`, metric: "metric: busy", http: "http: :8080/busy" };

function busyAnnotations({ busy }: Entry): Readonly<Record<string, string>> {
  if (busy === undefined) return {};
  return {
    "ebb.dev/busy": busySources[busy.source],
    ...(busy.spares && { "ebb.dev/spare-busy": "true" }),
    ...(busy.spareForSeconds !== undefined && { "ebb.dev/spare-busy-for": `${busy.spareForSeconds}s` }),
  };
}
