// eslint-disable-next-line no-restricted-imports -- a digest of a text is no I/O
import { createHash } from "node:crypto";

export type Parameters = Readonly<Record<string, unknown>>;

/** The table keeps keys beside readings, and a run has thousands: a longer one is a hash. */
const longestKey = 1_000;

/** Of a query of a kind of source: equal for the same query, in whatever order its parameters are. */
export function queryKey(
  kind: string,
  { metricName, parameters }: { readonly metricName: string; readonly parameters: Parameters },
): string {
  return shortened(JSON.stringify([kind, nameIn(kind, metricName), sorted(parameters)]));
}

/**
 * The key of a query whose parameters are `own`, overridden by `labels`. That of a large source has the hash of its own
 * parameters, so a thousand metrics do not go over them a thousand times.
 */
export function keyOfParts(
  kind: string,
  {
    metricName,
    own = {},
    labels = {},
  }: { readonly metricName: string; readonly own?: Parameters | undefined; readonly labels?: Parameters | undefined },
): string {
  const hash = hashIfLong(own);
  if (hash === undefined) return queryKey(kind, { metricName, parameters: { ...own, ...labels } });
  const overriding = Object.entries(labels).filter(([name, value]) => !Object.hasOwn(own, name) || own[name] !== value);
  return shortened(JSON.stringify([kind, nameIn(kind, metricName), hash, sorted(Object.fromEntries(overriding))]));
}

const hashes = new WeakMap<object, { readonly hash: string | undefined }>();

function hashIfLong(parameters: Parameters): string | undefined {
  const known = hashes.get(parameters) ?? { hash: hashOf(parameters) };
  hashes.set(parameters, known);
  return known.hash;
}

function hashOf(parameters: Parameters): string | undefined {
  const text = JSON.stringify(sorted(parameters));
  return text.length <= longestKey ? undefined : hashed(text);
}

function nameIn(kind: string, metricName: string): string {
  return kind === metricName ? "" : metricName;
}

function sorted(parameters: Parameters): readonly (readonly [string, unknown])[] {
  return Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
}

function shortened(text: string): string {
  return text.length <= longestKey ? text : hashed(text);
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
