import type { FleetCluster, FleetMessage, FleetSaved } from "../lib/read/page/fleet-row";
import { idOf, listed, type Listed } from "./select-rows";

export interface Fleet {
  readonly rows: ReadonlyMap<string, Listed>;
  readonly clusters: readonly FleetCluster[];
  /** Absent: some HPAs were not read yet. */
  readonly loadedAt?: number;
  readonly saved?: FleetSaved;
  /** What is shown is as old as this. */
  readonly problem?: { readonly message: string; readonly since: number };
}

export interface Received {
  readonly fleet: Fleet;
  /** Since the stream began: the others are gone once all were read. */
  readonly seen: ReadonlySet<string>;
}

export const nothingYet: Received = { fleet: { rows: new Map(), clusters: [] }, seen: new Set() };

/** Changes the maps of `received`, which would take long to copy for each message. */
export function receive(received: Received, message: FleetMessage): Received {
  const { fleet } = received;
  const rows = fleet.rows as Map<string, Listed>;
  const seen = received.seen as Set<string>;
  switch (message.type) {
    case "rows":
      for (const row of message.rows) {
        const one = listed(row);
        rows.set(one.id, one);
        seen.add(one.id);
      }
      return { seen, fleet: { ...fleet, rows } };
    case "gone":
      for (const row of message.rows) rows.delete(idOf(row));
      return { seen, fleet: { ...fleet, rows } };
    case "clusters":
      return { seen, fleet: { ...fleet, clusters: message.clusters } };
    case "saved":
      return { seen, fleet: { ...fleet, saved: message.saved } };
    case "loaded": {
      for (const id of rows.keys()) if (!seen.has(id)) rows.delete(id);
      return { seen, fleet: { ...fleet, rows, loadedAt: message.at } };
    }
    case "table": {
      const { problem: _, ...rest } = fleet;
      return { seen, fleet: { ...rest, ...(message.problem && { problem: message.problem }) } };
    }
  }
}
