import { brotliCompressSync, constants } from "node:zlib";
import { asHpaKey, type HpaKey, splitKey } from "../../model/hpa-key";
import { maxMin, maxMinWhole, treeOf } from "../../model/max-min";
import { maxItemBytes, type Item } from "./attributes";

const mostPacked = maxItemBytes - 4_096;
/** In bytes of JSON. A reader refuses more. */
export const mostUnpacked = 16 * 1024 * 1024;
/** A shard has 1,000 HPAs, and many more only until the next tick. */
export const mostKeys = 20_000;

/** Writes cost by the KB. Quality 5 takes about 15 ms for 1,000 HPAs. */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: 1 } };

/** Undefined: it does not fit. */
export function packWhole(byHpa: Readonly<Record<string, unknown>>): Buffer | undefined {
  const packed = brotliCompressSync(JSON.stringify(byHpa), packing);
  return packed.length <= mostPacked && Object.keys(byHpa).length <= mostKeys ? packed : undefined;
}

/** As much of the values as JSON of so many bytes holds; undefined: nothing of use. */
export type Cut<T> = (values: T, bytes: number) => T | undefined;

interface Part {
  readonly key: string;
  readonly text: string;
  readonly bytes: number;
}

export interface Packed {
  readonly packed: Pick<Item, "packed">;
  readonly leftOut: readonly HpaKey[];
}

/** If not all fits, namespaces and HPAs get fair shares. @param cut Without it, HPAs are left out whole. */
export function pack<T>(byHpa: Readonly<Record<string, T>>, cut?: Cut<T>): Packed {
  const parts = withPlaces(Object.entries(byHpa).map(([key, values]) => partOf(key, values)));
  const tree = treeOf(parts.map(({ key }) => splitKey(key)));
  const demands = parts.map(({ bytes }) => bytes);
  for (let total = mostUnpacked - 2; ;) {
    const kept = cut
      ? maxMin(total, { tree, demands }, 0).flatMap((share, index) => cutTo(parts[index], byHpa, { share, cut }))
      : parts.filter(asFlags(maxMinWhole(total, { tree, demands }, 0)));
    const texts = kept.map(({ text }) => text);
    const whole = Buffer.from(`{${texts.join(",")}}`);
    const packed = brotliCompressSync(whole, packing);
    if (packed.length <= mostPacked && whole.length <= mostUnpacked)
      return { packed: { packed: { B: packed } }, leftOut: without(kept, byHpa) };
    // A little less than the ratio says: the part that is cut may pack well.
    total = Math.floor(Math.min(total, whole.length) * Math.min(0.8, (0.9 * mostPacked) / packed.length));
  }
}

function without(kept: readonly Part[], byHpa: Readonly<Record<string, unknown>>): readonly HpaKey[] {
  const keys = new Set(kept.map(({ key }) => key));
  return Object.keys(byHpa)
    .filter((key) => !keys.has(key))
    .map(asHpaKey);
}

function partOf(key: string, values: unknown): Part {
  const text = `${JSON.stringify(key)}:${JSON.stringify(values)}`;
  return { key, text, bytes: Buffer.byteLength(text) + 1 };
}

function withPlaces(parts: readonly Part[]): readonly Part[] {
  if (parts.length <= mostKeys) return parts;
  const claims = { tree: treeOf(parts.map(({ key }) => splitKey(key))), demands: parts.map(() => 1) };
  return parts.filter(asFlags(maxMinWhole(mostKeys, claims, 0)));
}

function asFlags(flags: readonly boolean[]) {
  return (_: unknown, index: number): boolean => flags[index] === true;
}

function cutTo<T>(
  part: Part | undefined,
  byHpa: Readonly<Record<string, T>>,
  { share, cut }: { readonly share: number; readonly cut: Cut<T> },
): readonly Part[] {
  if (part === undefined) return [];
  const { key, bytes } = part;
  if (bytes <= share) return [part];
  const values = byHpa[key] as T;
  const beside = bytes - Buffer.byteLength(JSON.stringify(values));
  const left = cut(values, share - beside);
  return left === undefined ? [] : [partOf(key, left)];
}
