import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../hpa-key";
import type { HistoryBlock, HistoryMinute, HistoryPoint, Roster, RosterHpa } from "../stored/history";
import type { HistoryRef, ShardRange } from "../stored/shard";

/** Rejects with a Fault. */
export interface HistoryWriter {
  readonly days: number;
  /** Writes nothing if the hash is `known`. */
  putRoster(
    shard: ShardRange,
    hpas: ReadonlyMap<HpaKey, RosterHpa>,
    known: string | undefined,
    signal: AbortSignal,
  ): Promise<Roster>;
  /** Writes nothing if the hash is `known`. Resolves to the hash of what the first run of the slot wrote. */
  putMinute(
    shard: ShardRange,
    minute: Omit<HistoryMinute, "hash" | "from" | "to"> & { readonly known: string | undefined },
    signal: AbortSignal,
  ): Promise<string>;
  /** Minutes since a moment that `last` leads to, ascending, and those right before. */
  chain(cluster: string, last: readonly HistoryRef[], since: EpochMs, signal: AbortSignal): Promise<Chain>;
  putBlocks(cluster: string, blocks: readonly HistoryBlock[], signal: AbortSignal): Promise<void>;
}

export interface Chain {
  readonly since: EpochMs;
  readonly minutes: readonly HistoryMinute[];
  readonly byRef: (ref: HistoryRef) => HistoryMinute | undefined;
  readonly rosters: ReadonlyMap<string, Roster>;
  /** False: an item is missing. */
  readonly isWhole: boolean;
}

interface ClusterRef extends HistoryRef {
  readonly cluster: string;
}

export interface ShardMinute {
  readonly cluster: string;
  readonly minute: HistoryMinute;
  readonly roster: Roster;
}

export interface HistoryReader extends Pick<HistoryWriter, "chain"> {
  /** With the block before, ascending. */
  blocks(
    hpa: { readonly cluster: string; readonly key: HpaKey },
    range: { readonly since: EpochMs; readonly until: EpochMs },
    signal: AbortSignal,
  ): Promise<readonly HistoryPoint[]>;
  /** Without those that are gone or unreadable. */
  lastMinutes(refs: readonly ClusterRef[], signal: AbortSignal): Promise<readonly ShardMinute[]>;
}
