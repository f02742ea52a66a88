import type { ShardRange } from "../core/state";
import type { KeptLog } from "./kept-log";
import { isWithin } from "./slot-tasks";

/** HPAs that are kept, with some KB each; the one that emitted longest ago is dropped first. */
const maxKept = 4_096;

/** The logs that this process keeps from one invocation to the next. */
export interface KeptLogs {
  get(cluster: string, key: string): KeptLog | undefined;
  set(cluster: string, key: string, log: KeptLog): void;
  delete(cluster: string, key: string): void;
  /** Keys in the range with something to write, what waits longest first. */
  due(range: ShardRange): readonly string[];
}

export function keptLogs(): KeptLogs {
  const logs = new Map<string, KeptLog>();
  const idOf = (cluster: string, key: string) => `${cluster}#${key}`;
  return {
    get: (cluster, key) => logs.get(idOf(cluster, key)),
    set(cluster, key, log) {
      const id = idOf(cluster, key);
      logs.delete(id);
      logs.set(id, log);
      const [oldest] = logs.keys();
      if (logs.size > maxKept && oldest !== undefined) logs.delete(oldest);
    },
    delete: (cluster, key) => void logs.delete(idOf(cluster, key)),
    due(range) {
      const prefix = idOf(range.cluster, "");
      return [...logs]
        .filter(([id, { dueSince }]) => dueSince !== undefined && id.startsWith(prefix))
        .map(([id, { dueSince = 0 }]) => ({ key: id.slice(prefix.length), dueSince }))
        .filter(({ key }) => isWithin(range, key))
        .sort((a, b) => a.dueSince - b.dueSince)
        .map(({ key }) => key);
    },
  };
}
