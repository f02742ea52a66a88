import { brotliCompressSync, constants } from "node:zlib";
import { maxItemBytes } from "../item-size";
import type { Item } from "./attributes";

/** For the key and the other attributes. */
const mostPacked = maxItemBytes - 4_096;
/** Of JSON. A reader refuses more, whatever it was packed into. */
export const mostUnpacked = 16 * 1024 * 1024;
/** A shard has 1,000 HPAs, and many more only until the next tick. */
export const mostKeys = 20_000;

/** Writing costs by the KB, so it pays to pack well: quality 5 takes about 15 ms for 1,000 HPAs. */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: 1 } };

/** A map by HPA as one attribute; undefined: it does not fit. */
export function packWhole(byHpa: Readonly<Record<string, unknown>>): Buffer | undefined {
  const packed = brotliCompressSync(JSON.stringify(byHpa), packing);
  return packed.length <= mostPacked && Object.keys(byHpa).length <= mostKeys ? packed : undefined;
}

/** A map by HPA as one attribute. The HPAs that need most are left out until the rest fits. */
export function pack(byHpa: Readonly<Record<string, unknown>>): Pick<Item, "packed"> {
  const parts = Object.entries(byHpa).map(([key, values]) => `${JSON.stringify(key)}:${JSON.stringify(values)}`);
  for (let left = within(parts, mostUnpacked); ; left = smallerHalf(left)) {
    const packed = brotliCompressSync(`{${left.join(",")}}`, packing);
    if (packed.length <= mostPacked) return { packed: { B: packed } };
  }
}

function within(parts: readonly string[], limit: number): readonly string[] {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part) + 1, 2);
  return length <= limit && parts.length <= mostKeys ? parts : within(smallerHalf(parts), limit);
}

function smallerHalf(parts: readonly string[]): readonly string[] {
  return parts.toSorted((a, b) => a.length - b.length).slice(0, Math.floor(parts.length / 2));
}
