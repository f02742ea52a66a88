import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { Latest, LatestValues } from "../../model/latest";
import { problemsOf } from "../../model/check/check-schema";
import { latestData as schema } from "../../model/validators/items";
import type { ShardRange } from "../../model/state";
import { maxItemBytes } from "../item-size";
import { type Item, toItem } from "./attributes";
import { expiresAtAttribute, latestKey } from "./keys";
import type { EpochMs } from "../../k8s/time";

/** For the key and the other attributes. */
const mostPacked = maxItemBytes - 4_096;
/** Of JSON. A reader refuses more, whatever it was packed into. */
const mostUnpacked = 16 * 1024 * 1024;
/** An item that no slot writes any more is of a shard that is gone. */
const keptMs = 24 * 60 * 60 * 1000;

/** Writing costs by the KB, so it pays to pack well: quality 5 takes about 15 ms for 1,000 HPAs. */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: 1 } };

/** The HPAs that show most are left out until the rest fits. */
export function encodeLatest(shard: Pick<ShardRange, "cluster" | "from">, latest: Latest, now: EpochMs): Item {
  const expiresAt = Math.ceil((now + keptMs) / 1000);
  return { ...toItem({ ...latestKey(shard), [expiresAtAttribute]: expiresAt }), packed: { B: pack(latest) } };
}

function pack(latest: Latest): Uint8Array {
  const parts = Object.entries(latest).map(([key, values]) => `${JSON.stringify(key)}:${JSON.stringify(values)}`);
  for (let left = within(parts, mostUnpacked); ; left = smallerHalf(left)) {
    const packed = brotliCompressSync(`{${left.join(",")}}`, packing);
    if (packed.length <= mostPacked) return packed;
  }
}

function within(parts: readonly string[], limit: number): readonly string[] {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part) + 1, 2);
  return length <= limit ? parts : within(smallerHalf(parts), limit);
}

function smallerHalf(parts: readonly string[]): readonly string[] {
  return parts.toSorted((a, b) => a.length - b.length).slice(0, Math.floor(parts.length / 2));
}

/** Undefined: it cannot be read. The next slot that writes replaces it. */
export function decodeLatest({ packed }: Item): Readonly<Record<string, LatestValues>> | undefined {
  if (packed?.B === undefined) return undefined;
  try {
    const latest: unknown = JSON.parse(brotliDecompressSync(packed.B, { maxOutputLength: mostUnpacked }).toString());
    return problemsOf(schema, latest).length === 0 ? (latest as Record<string, LatestValues>) : undefined;
  } catch {
    return undefined;
  }
}
