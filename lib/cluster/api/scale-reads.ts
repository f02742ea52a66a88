import { BoundedMap } from "../../async/bounded-map";
import type { EpochMs } from "../../k8s/time";
import type { Scale } from "../../k8s/objects";
import { isFault } from "../../model/fault";
import type { ScaleTurn } from "../../model/ports";
import type { ApiClient } from "./api-client";
import { type Discovery, groupOf } from "./discovery";
import type { ServedResource } from "./discovery-documents";
import { isListable, isNumber, type ListedScales, listScales, scaleKey } from "./list-scales";
import { getScale, type ScaleTarget } from "./scale";

/** Fewer targets than this are read one by one: that takes about 10 ms, and a list may wait 100 ms for etcd. */
export const fewestListed = 20;
/**
 * A list may have this many objects for each wanted one. A GET costs both sides 0.7 ms of CPU, an object of a list
 * 0.09 ms (docs/decisions/0053-targets-by-list.md).
 */
const objectsPerTarget = 4;
/** A list that takes longer is given up, so that the slot has time to ask one by one. */
const listMs = 3_000;
/** After a list that was refused, failed or was too long, its scope is read one by one for this long. */
const barredMs = 300_000;
const maxBarred = 10_000;

export interface ScaleReads {
  readonly get: (target: ScaleTarget, signal: AbortSignal, turn?: ScaleTurn) => Promise<Scale>;
  /** What the API server answered to a write. No later list may be older. */
  readonly written: (target: ScaleTarget, scale: Scale) => void;
}

interface Deps {
  readonly api: ApiClient;
  readonly discovery: Discovery;
  readonly now: () => EpochMs;
}

type Names = Map<string, Set<string>>;
type Found = ReadonlyMap<string, () => Scale>;

/**
 * Reads scales: many targets of a turn by one list of their kind where that is cheaper, any other by GET /scale. Both
 * are as fresh. A list is only a shorter way: whatever it does not say, GET does.
 */
export function openScaleReads(deps: Deps): ScaleReads {
  const { api, discovery, now } = deps;
  const turns = new WeakMap<ScaleTurn, Promise<ReadonlyMap<string, Promise<Found>>>>();
  /** By list: until when it is not asked for. */
  const barred = new BoundedMap<string, EpochMs>(maxBarred);
  /** The newest resourceVersion that the API server gave in a list, or for a write of a built-in kind. */
  let newest = 0n;

  function isBarred(list: string): boolean {
    const until = barred.get(list);
    return until !== undefined && now() < until && until - now() <= barredMs; // further away: the clock was set back
  }

  function heard(version: bigint): void {
    if (version > newest) newest = version;
  }

  async function list(
    resource: ServedResource,
    wanted: Names,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<Found> {
    const id = `${idOf(resource)} ${namespace ?? ""}`;
    if (isBarred(id)) return nothing;
    const known = newest;
    try {
      const most = countOf(wanted, namespace) * objectsPerTarget;
      const scope = namespace === undefined ? {} : { namespace };
      const listed = await listScales(api, { resource, ...scope, wanted, most, timeoutMs: listMs }, signal);
      const isOld = listed.resourceVersion < known;
      if (!listed.isWhole || isOld) barred.set(id, now() + barredMs);
      heard(listed.resourceVersion);
      return isOld ? nothing : listed.scales;
    } catch (error) {
      if (!isFault(error)) throw error;
      if (!signal.aborted) barred.set(id, now() + barredMs);
      return nothing;
    }
  }

  /** All namespaces by one list if there are several; what that does not give, by a list of each larger namespace. */
  async function readResource(resource: ServedResource, wanted: Names, signal: AbortSignal): Promise<Found> {
    const all = wanted.size > 1 ? await list(resource, wanted, undefined, signal) : nothing;
    const left = [...wanted].filter(([namespace, names]) => {
      const missing = [...names].filter((name) => !all.has(scaleKey(namespace, name)));
      return missing.length >= fewestListed;
    });
    const more = await Promise.all(left.map(([namespace]) => list(resource, wanted, namespace, signal)));
    return more.length === 0 ? all : new Map([all, ...more].flatMap((found: ListedScales["scales"]) => [...found]));
  }

  async function begin({ targets }: ScaleTurn, signal: AbortSignal): Promise<ReadonlyMap<string, Promise<Found>>> {
    const wanted = new Map<string, { readonly resource: ServedResource; readonly names: Names }>();
    const resources = await resourcesOf(targets, signal);
    for (const target of targets) {
      const resource = resources.get(kindOf(target));
      if (resource === undefined) continue;
      const { namespace, name } = target;
      const { names } = wanted.get(idOf(resource)) ?? { names: new Map<string, Set<string>>() };
      wanted.set(idOf(resource), { resource, names });
      names.set(namespace, (names.get(namespace) ?? new Set()).add(name));
    }
    return new Map(
      [...wanted]
        .filter(([, { names }]) => countOf(names) >= fewestListed)
        .map(([id, { resource, names }]) => [id, readResource(resource, names, signal)]),
    );
  }

  /** The listable resource of each kind. What discovery does not find, GET says. */
  async function resourcesOf(targets: ScaleTurn["targets"], signal: AbortSignal) {
    const kinds = new Map(targets.map((target) => [kindOf(target), target]));
    const resources = new Map<string, ServedResource>();
    for (const [id, example] of kinds) {
      const resource = await listable(example, signal);
      if (resource !== undefined) resources.set(id, resource);
    }
    return resources;
  }

  async function listable(
    { apiVersion, kind }: Pick<ScaleTarget, "apiVersion" | "kind">,
    signal: AbortSignal,
  ): Promise<ServedResource | undefined> {
    try {
      const [first] = await discovery.resources(groupOf(apiVersion), kind, signal);
      return first !== undefined && isListable(first) ? first : undefined;
    } catch (error) {
      if (isFault(error)) return undefined;
      throw error;
    }
  }

  async function fromTurn(target: ScaleTarget, signal: AbortSignal, turn: ScaleTurn): Promise<Scale | undefined> {
    const begun = turns.get(turn) ?? begin(turn, signal);
    turns.set(turn, begun);
    const lists = await begun;
    if (lists.size === 0) return undefined;
    const resource = await listable(target, signal);
    const found = resource && (await lists.get(idOf(resource)));
    return found?.get(scaleKey(target.namespace, target.name))?.();
  }

  return {
    async get(target, signal, turn) {
      const read = turn && (await fromTurn(target, signal, turn));
      return read ?? getScale({ api, discovery }, target, signal);
    },
    written({ apiVersion = "" }, { metadata }) {
      const { resourceVersion = "" } = metadata;
      // Another group may have an API server and versions of its own.
      const isBuiltIn = apiVersion.startsWith("apps/") || !apiVersion.includes("/");
      if (isBuiltIn && isNumber(resourceVersion)) heard(BigInt(resourceVersion));
    },
  };
}

const nothing: Found = new Map();

const idOf = ({ group, version, resource }: ServedResource) => `${group}/${version}/${resource}`;
const kindOf = ({ apiVersion = "", kind }: Pick<ScaleTarget, "apiVersion" | "kind">) => `${apiVersion} ${kind}`;

function countOf(names: Names, namespace?: string): number {
  if (namespace !== undefined) return names.get(namespace)?.size ?? 0;
  return [...names.values()].reduce((sum, { size }) => sum + size, 0);
}
