import type { Item } from "../../test/faults/world/memory-table";
import { periodMs, start } from "../load";
import { type Recording, snapshotSlot, type Trace } from "./recording";

/** The burst and the pause begin with this slot of the simulation. */
export const eventSlot = 4;

export interface SituationOptions {
  readonly recordings: readonly Recording[];
  readonly hasBurst: boolean;
  readonly isNew: boolean;
  /** With which of four slots a cluster's minute begins, until a gap decides otherwise. */
  readonly phaseOf: (cluster: string) => number;
}

/** Which recorded slot each shard is in. */
export interface Situations {
  traceOf(shard: Item, slot: number): Trace;
  /** As many as the shard says, or as a cluster has if it does not know yet. */
  entriesOf(shard: Item): number;
  /** The recording of a shard of about this size. */
  nearest(entries: number): Recording;
  finished(id: string): void;
  /** CloudWatch answered, or throttled, the shard's call in this slot. What was throttled is due with the next slot. */
  metricsRead(id: string, slot: number, isAnswered: boolean): void;
}

export function openSituations({ recordings, hasBurst, isNew, phaseOf }: SituationOptions): Situations {
  const finished = new Map<string, number>();
  const phases = new Map<string, number>();
  const unread = new Set<string>();
  const far = ({ hpas }: Recording, entries: number) => Math.abs(Math.log(hpas / Math.max(1, entries)));
  const largest = recordings[0] as Recording;
  const nearest = (entries: number) =>
    recordings.reduce((best, one) => (far(one, entries) < far(best, entries) ? one : best), largest);

  const entriesOf = (shard: Item) => Number(shard["entries"]?.N) || largest.hpas;

  return {
    entriesOf,
    nearest,
    finished: (id) => void finished.set(id, (finished.get(id) ?? 0) + 1),
    metricsRead(id, slot, isAnswered) {
      if (!isAnswered) unread.add(id);
      else if (unread.delete(id)) phases.set(id, ((slot - start) / periodMs) % 4);
    },
    traceOf(shard, slot) {
      const id = idOf(shard);
      const fits = nearest(entriesOf(shard));
      const index = (slot - start) / periodMs;
      const last = Number(shard["slot"]?.N ?? 0);
      const age = finished.get(id) ?? 0;
      if (isNew && age < 2) {
        if (age === 0) phases.set(id, index % 4);
        return fits.first[age] as Trace;
      }
      if (last > 0 && last < slot - periodMs) {
        // Whatever is done once a minute is due at once.
        phases.set(id, index % 4);
        return fits.afterGap;
      }
      const sinceBurst = index - snapshotSlot - eventSlot;
      if (hasBurst && sinceBurst >= 0 && sinceBurst < 4) return fits.burst[sinceBurst] as Trace;
      if (unread.has(id) && fits.unread !== undefined) return fits.unread;
      const phase = phases.get(id) ?? phaseOf(shard["cluster"]?.S ?? "");
      return fits.steady[(index + 4 - phase) % 4] as Trace;
    },
  };
}

export const idOf = (shard: Item) => `${shard["cluster"]?.S}#${shard["from"]?.S}`;
