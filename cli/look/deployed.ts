import type { ShardWriter } from "../../lib/table/items/shard-item";
import { failure } from "../shell/failure";

/** The version that syncs a table's shards. */
export interface Deployed {
  /** "0.3.0" */
  readonly release: string;
  /** How many shards another version has written last, and which. */
  readonly others: readonly { readonly release: string | undefined; readonly shards: number }[];
}

/** A semantic version; a record in any other form counts as none. */
const semantic = /^(\d{1,9})\.(\d{1,9})\.\d{1,9}(?:[-+][\w.+-]{1,64})?$/;

/**
 * What wrote the shards last: the version of the newest one; undefined: no shard has been synced. @throws Failure when
 * the version is not recorded
 */
export function deployedOf(writers: readonly ShardWriter[]): Deployed | undefined {
  const known = writers.map((writer) => ({ ...writer, release: semantic.exec(writer.release ?? "")?.[0] }));
  const [newest] = known.toSorted((a, b) => b.heartbeat - a.heartbeat);
  if (newest === undefined) return undefined;
  const { release } = newest;
  if (release === undefined)
    throw failure("the deployed version is unknown: it is one that does not record its version in the table");
  const rest = [...new Set(known.map((one) => one.release))].filter((other) => other !== release);
  const others = rest.map((other) => ({ release: other, shards: known.filter((one) => one.release === other).length }));
  return { release, others };
}

/** Before 1.0, a minor version may change what entries mean. */
const supportedMinorSkew = 0;

/** In kubectl's words; undefined: client and server fit. Upstream: kubectl pkg/cmd/version/skew_warning.go */
export function skewWarning(client: string, server: string): string | undefined {
  const [ours, theirs] = [partsOf(client), partsOf(server)];
  const isSupported = ours.major === theirs.major && Math.abs(ours.minor - theirs.minor) <= supportedMinorSkew;
  if (isSupported) return undefined;
  const [one, other] = [ours, theirs].map(({ major, minor }) => `${major}.${minor}`);
  return (
    `version difference between client (${one}) and server (${other}) exceeds the supported minor version skew of ` +
    `+/-${supportedMinorSkew}`
  );
}

/** "0.3.0-rc.1" as kubectl's version information has it. */
export function versionInfo(release: string) {
  const { major, minor } = partsOf(release);
  return { major: String(major), minor: String(minor), gitVersion: `v${release}` };
}

function partsOf(release: string): { readonly major: number; readonly minor: number } {
  const [, major, minor] = semantic.exec(release) ?? [];
  return { major: Number(major), minor: Number(minor) };
}
