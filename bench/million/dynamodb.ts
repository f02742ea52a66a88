import { limits, type Throughput } from "./limits";

/** What a request takes from a table. */
export interface Units extends Throughput {
  readonly partition: string;
}

export interface TableModel {
  /** Whether the table takes the request now. Otherwise it is throttled. */
  admit(units: Units, now: number): boolean;
  readonly throttled: number;
  readonly used: Throughput;
  /** The busiest second: of the table, of the SHARD items, and of the busiest partition of a cluster. */
  readonly peaks: { readonly table: Throughput; readonly shards: Throughput; readonly cluster: Throughput };
}

interface Bucket {
  reads: number;
  writes: number;
  at: number;
}

interface Second {
  at: number;
  reads: number;
  writes: number;
}

/**
 * An on-demand table. A second's throughput can be used at once, and what was not used earlier is lost: AWS may grant
 * more (burst capacity, partitions that split under heat), and does not promise it.
 */
export function openTableModel(table: Throughput, partition: Throughput = limits.dynamodb.partition): TableModel {
  const whole: Bucket = { ...table, at: 0 };
  const partitions = new Map<string, Bucket>();
  const used = { reads: 0, writes: 0 };
  const peaks = { table: none(), shards: none(), cluster: none() };
  const seconds = new Map<string, Second>();
  let throttled = 0;

  function note(name: string, peak: { reads: number; writes: number }, units: Throughput, now: number): void {
    const second = seconds.get(name) ?? { at: 0, reads: 0, writes: 0 };
    const at = Math.floor(now / 1_000);
    if (second.at !== at) Object.assign(second, { at, reads: 0, writes: 0 });
    second.reads += units.reads;
    second.writes += units.writes;
    peak.reads = Math.max(peak.reads, second.reads);
    peak.writes = Math.max(peak.writes, second.writes);
    seconds.set(name, second);
  }

  return {
    used,
    peaks,
    get throttled() {
      return throttled;
    },
    admit(units, now) {
      const own = partitions.get(units.partition) ?? { ...partition, at: now };
      partitions.set(units.partition, own);
      fill(whole, table, now);
      fill(own, partition, now);
      if (!has(whole, units) || !has(own, units)) {
        throttled += 1;
        return false;
      }
      for (const bucket of [whole, own]) {
        bucket.reads -= units.reads;
        bucket.writes -= units.writes;
      }
      used.reads += units.reads;
      used.writes += units.writes;
      note("table", peaks.table, units, now);
      note(units.partition, units.partition === "SHARD" ? peaks.shards : peaks.cluster, units, now);
      return true;
    },
  };
}

const none = () => ({ reads: 0, writes: 0 });

function fill(bucket: Bucket, rate: Throughput, now: number): void {
  const seconds = (now - bucket.at) / 1_000;
  bucket.reads = Math.min(rate.reads, bucket.reads + seconds * rate.reads);
  bucket.writes = Math.min(rate.writes, bucket.writes + seconds * rate.writes);
  bucket.at = now;
}

/** A request that begins before the last unit is gone is served whole. */
function has(bucket: Bucket, units: Throughput): boolean {
  return (units.reads === 0 || bucket.reads > 0) && (units.writes === 0 || bucket.writes > 0);
}
