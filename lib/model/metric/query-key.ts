// eslint-disable-next-line no-restricted-imports -- a digest of a text is no I/O
import { createHash } from "node:crypto";

export type Parameters = Readonly<Record<string, unknown>>;

/** Longer keys become hashes: the table keeps keys, and a run has thousands. */
const longestKey = 1_000;

/** Independent of the order of the parameters. */
export function queryKey(
  kind: string,
  { metricName, parameters }: { readonly metricName: string; readonly parameters: Parameters },
): string {
  return shortened(JSON.stringify([kind, nameIn(kind, metricName), sorted(parameters)]));
}

/** Hashes large parameters once: a thousand metrics may share them. */
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
