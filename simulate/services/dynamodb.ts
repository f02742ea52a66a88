import { limits, type Throughput } from "./limits";
import { type Bucket, openBucket, openPeak, type Peak } from "./rates";

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

interface Part {
  readonly reads: { readonly bucket: Bucket; readonly peak: Peak };
  readonly writes: { readonly bucket: Bucket; readonly peak: Peak };
}

const openPart = ({ reads, writes }: Throughput): Part => ({
  reads: { bucket: openBucket(reads), peak: openPeak() },
  writes: { bucket: openBucket(writes), peak: openPeak() },
});

/**
 * An on-demand table. A second's throughput can be used at once, and what was not used earlier is lost: AWS may grant
 * more (burst capacity, partitions that split under heat), and does not promise it.
 */
export function openTableModel(table: Throughput, partition: Throughput = limits.dynamodb.partition): TableModel {
  const whole = openPart(table);
  const partitions = new Map<string, Part>();
  const used = { reads: 0, writes: 0 };
  let throttled = 0;

  return {
    used,
    get peaks() {
      const clusters = [...partitions].flatMap(([name, part]) => (name === "SHARD" ? [] : [part]));
      const shards = partitions.get("SHARD");
      return { table: busiest([whole]), shards: busiest(shards ? [shards] : []), cluster: busiest(clusters) };
    },
    get throttled() {
      return throttled;
    },
    admit(units, now) {
      const own = partitions.get(units.partition) ?? openPart(partition);
      partitions.set(units.partition, own);
      if (![whole, own].every((part) => has(part, units, now))) {
        throttled += 1;
        return false;
      }
      for (const part of [whole, own]) {
        for (const kind of ["reads", "writes"] as const) {
          part[kind].bucket.take(units[kind]);
          part[kind].peak.note(units[kind], now);
        }
      }
      used.reads += units.reads;
      used.writes += units.writes;
      return true;
    },
  };
}

function busiest(parts: readonly Part[]): Throughput {
  const most = (kind: keyof Part) => parts.reduce((peak, part) => Math.max(peak, part[kind].peak.most), 0);
  return { reads: most("reads"), writes: most("writes") };
}

/** A request that begins before the last unit is gone is served whole. */
function has({ reads, writes }: Part, units: Throughput, now: number): boolean {
  return (units.reads === 0 || reads.bucket.left(now) > 0) && (units.writes === 0 || writes.bucket.left(now) > 0);
}
