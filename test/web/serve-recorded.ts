import { join } from "node:path";
import { pageFiles } from "../../cli/look/dashboard/dashboard";
import { type Dashboard, type DashboardContext, serveDashboard } from "../../cli/look/dashboard/serve";
import { openHistoryReader, storeOn } from "../../compose";
import { pause } from "../../lib/async/within-time";
import { openEntries } from "../../lib/table/entries";
import { plainCaller } from "../cli/advice/plain-caller";
import { at } from "../core/build";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";
import { type Recorded, recordFleet } from "./recorded-fleet";

export const recordedNow = at(10);

interface Given {
  /** Of history. */
  readonly minutes?: number;
  readonly store?: (real: DashboardContext["store"]) => DashboardContext["store"];
  readonly root?: string;
  /** Instead of what it would wait, in ms. */
  readonly pauses?: (ms: number) => number;
}

/** The dashboard of `dist/` over a table that syncs left at noon. */
export async function serveRecorded(
  fleet: readonly Recorded[],
  { minutes = 0, store: over = (real) => real, pauses, root = join(__dirname, "../..") }: Given = {},
): Promise<Dashboard> {
  const table = { client: memoryDynamodb(), name: memoryTableName };
  await recordFleet(table, fleet, new AbortController().signal, minutes);
  const now = () => recordedNow;
  return serveDashboard({
    ...{ store: over(storeOn(table, { now })), entries: openEntries(table), history: openHistoryReader(table, now) },
    ...{ now, callerFor: () => Promise.resolve(plainCaller), port: 0, isPaid: false, dollarsPerHour: 0.0408 },
    pause: (ms, signal) => pause(pauses?.(ms) ?? ms, signal),
    files: await pageFiles(join(root, "dist/dashboard")),
  });
}
