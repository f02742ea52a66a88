import { shared } from "../../async/shared";
import { abortReason } from "../../async/within-time";
import { Fault, isFault } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import type { ApiClient } from "./api-client";
import { type ApiGroup, type GroupList, type ServedResource, readGroup, readGroups } from "./discovery-documents";

/** "" is the core group ("v1", or no apiVersion). Source: schema.ParseGroupVersion. */
export function groupOf(apiVersion: string | undefined): string {
  const parts = (apiVersion ?? "").split("/");
  if (parts.length > 2) throw new Fault("badEntry", `unexpected GroupVersion string: ${apiVersion}`);
  return parts.length === 2 ? (parts[0] ?? "") : "";
}

/** Rejects with a Fault. */
export interface Discovery {
  /**
   * One for each name: the preferred version first, those with /scale before others. Like upstream, ignores a
   * reference's version. Fault "notFound" when there is none.
   */
  resources(group: string, kind: string, signal: AbortSignal): Promise<readonly ServedResource[]>;
  /** Empty if the group is not served. */
  versions(group: string, signal: AbortSignal): Promise<readonly string[]>;
}

export interface DiscoveredApi {
  readonly api: ApiClient;
  readonly discovery: Discovery;
}

const KEEP_MS = 600_000;
/** An unknown kind's CRD may be new: read again, but at most this often. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Most clusters need two documents: /apis and, for core kinds only, /api. Servers before 1.26 need one request for each
 * group (RESTMapper of client-go: restmapper/discovery.go).
 */
export function openDiscovery(api: ApiClient, now: () => EpochMs): Discovery {
  const core = cached((signal) => readGroup(api, "", ["v1"], signal), now);
  const list = cached((signal) => readGroups(api, signal), now);
  const separate = new Map<string, { readonly of: GroupList; readonly group: Cached<ApiGroup> }>();

  async function group(name: string, notBefore: EpochMs, signal: AbortSignal): Promise<ApiGroup | undefined> {
    if (name === "") return core.get(notBefore, signal);
    const groups = await list.get(notBefore, signal);
    const versions = groups.versions.get(name);
    if (groups.complete !== undefined || versions === undefined) return groups.complete?.get(name);
    let own = separate.get(name);
    if (own?.of !== groups) {
      own = { of: groups, group: cached((limit) => readGroup(api, name, versions, limit), now) };
      separate.set(name, own);
    }
    return own.group.get(notBefore, signal);
  }

  return {
    async resources(name, kind, signal) {
      for (const maxAgeMs of [KEEP_MS, LOOK_AGAIN_MS]) {
        const found = resourcesOfKind(await group(name, now() - maxAgeMs, signal), kind);
        if (found.length > 0) return found;
      }
      throw new Fault("notFound", `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(name)}`);
    },
    async versions(name, signal) {
      for (const maxAgeMs of [KEEP_MS, LOOK_AGAIN_MS]) {
        const versions = (await list.get(now() - maxAgeMs, signal)).versions.get(name);
        if (versions !== undefined) return versions;
      }
      return [];
    },
  };
}

interface Cached<T> {
  get(notBefore: EpochMs, signal: AbortSignal): Promise<T>;
}

function cached<T>(read: (signal: AbortSignal) => Promise<T>, now: () => EpochMs): Cached<T> {
  let last: { readonly value: T; readonly at: EpochMs } | undefined;
  const refresh = shared(async (signal) => {
    const at = now();
    const value = await read(signal);
    last = { value, at };
    return value;
  });
  return {
    async get(notBefore, signal) {
      // `at > now()`: the clock was set back, so the age is unknown.
      if (last !== undefined && last.at >= notBefore && last.at <= now()) return last.value;
      try {
        return await refresh(signal);
      } catch (cause) {
        if (isFault(cause) || !signal.aborted) throw cause;
        const why = abortReason(signal).message;
        throw new Fault("timeout", `expected what the API server serves, got no answer: ${why}`, { cause });
      }
    },
  };
}

/** Upstream's mapper also accepts lower case. */
function resourcesOfKind(group: ApiGroup | undefined, kind: string): readonly ServedResource[] {
  const named = new Map<string, ServedResource>();
  for (const version of group?.versions ?? [])
    for (const resource of version.resources) {
      if (resource.kind !== kind && resource.kind.toLowerCase() !== kind) continue;
      const known = named.get(resource.resource);
      if (known === undefined || (resource.hasScale && !known.hasScale)) named.set(resource.resource, resource);
    }
  return [...named.values()].sort((one, other) => Number(other.hasScale) - Number(one.hasScale));
}
