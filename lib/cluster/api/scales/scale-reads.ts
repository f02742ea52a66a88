import { BoundedMap } from "../../../async/bounded-map";
import type { EpochMs } from "../../../k8s/time";
import type { Scale } from "../../../k8s/objects";
import { isFault } from "../../../model/fault";
import type { ScaleBatch } from "../../../model/ports/cluster";
import { openDefinitions } from "./definitions";
import { type DiscoveredApi, groupOf } from "../discovery";
import type { ServedResource } from "../discovery-documents";
import { isNumber, type ListedScales, listScales, scaleKey } from "./list-scales";
import { getScale, type ScaleTarget } from "./scale";
import { builtInForm, customForm, isCustom, type ScaleForm } from "./scale-forms";

/** Fewer reads take about 10 ms one by one; a list may wait 100 ms for etcd. */
export const fewestListed = 20;
/** A request costs both sides as much as so many objects of a list: 0.7 ms of CPU and 0.09 ms. See docs/protocol.md. */
const objectsPerRequest = 8;
/** Leaves the slot time for GETs. */
const listMs = 3_000;
/** After a refused, failed or too long list, its scope is read one by one for this long. */
const barredMs = 300_000;
const maxBarred = 10_000;
const maxVersions = 1_000;

export interface ScaleReads {
  readonly get: (target: ScaleTarget, signal: AbortSignal, batch?: ScaleBatch) => Promise<Scale>;
  /** No later list may be older than this answer to a write. */
  readonly written: (target: ScaleTarget, scale: Scale) => void;
}

interface Deps extends DiscoveredApi {
  readonly now: () => EpochMs;
}

type Names = Map<string, Set<string>>;
type Found = ReadonlyMap<string, () => Scale>;

interface Lists {
  readonly resource: ServedResource;
  readonly form: ScaleForm;
  readonly wanted: Names;
}

/** One list for many targets of a kind where that is cheaper, else GET /scale. */
export function openScaleReads(deps: Deps): ScaleReads {
  const { api, discovery, now } = deps;
  const batches = new WeakMap<ScaleBatch, Promise<ReadonlyMap<string, Promise<Found>>>>();
  const definitions = openDefinitions(api, now);
  const barred = new BoundedMap<string, EpochMs>(maxBarred);
  const newest = new BoundedMap<string, bigint>(maxVersions);

  function isBarred(id: string): boolean {
    const until = barred.get(id);
    return until !== undefined && now() < until && until - now() <= barredMs; // further away: the clock was set back
  }

  /** Undefined if `id` is barred. A failed read bars it. */
  async function unlessBarred<T>(id: string, signal: AbortSignal, read: () => Promise<T>): Promise<T | undefined> {
    if (isBarred(id)) return undefined;
    try {
      return await read();
    } catch (error) {
      if (!isFault(error)) throw error;
      if (!signal.aborted) barred.set(id, now() + barredMs);
      return undefined;
    }
  }

  function heard(versions: string, version: bigint): void {
    if (version > (newest.get(versions) ?? 0n)) newest.set(versions, version);
  }

  async function list({ resource, form, wanted }: Lists, namespace: string | undefined, signal: AbortSignal) {
    const id = `${idOf(resource)} ${namespace ?? ""}`;
    const found = await unlessBarred(id, signal, async () => {
      const versions = versionsOf(resource);
      const known = newest.get(versions) ?? 0n;
      const most = countOf(wanted, namespace) * objectsPerRequest;
      const scope = namespace === undefined ? {} : { namespace };
      const listed = await listScales(api, { resource, form, ...scope, wanted, most, timeoutMs: listMs }, signal);
      const isOld = listed.resourceVersion < known;
      if (!listed.isWhole || isOld || isTooWide(listed, wanted)) barred.set(id, now() + barredMs);
      heard(versions, listed.resourceVersion);
      return isOld ? nothing : listed.scales;
    });
    return found ?? nothing;
  }

  async function readLists(lists: Lists, signal: AbortSignal): Promise<Found> {
    const { wanted } = lists;
    const all = wanted.size > 1 ? await list(lists, undefined, signal) : nothing;
    const left = [...wanted].filter(([namespace, names]) => {
      const missing = [...names].filter((name) => !all.has(scaleKey(namespace, name)));
      return missing.length >= fewestListed;
    });
    const more = await Promise.all(left.map(([namespace]) => list(lists, namespace, signal)));
    return more.length === 0 ? all : new Map([all, ...more].flatMap((found: ListedScales["scales"]) => [...found]));
  }

  /**
   * The definition says what a custom kind's list means, so it must be the same before and after (docs/protocol.md).
   */
  async function readCustom(resource: ServedResource, wanted: Names, signal: AbortSignal): Promise<Found> {
    const id = `definition of ${idOf(resource)}`;
    const found = await unlessBarred(id, signal, async () => {
      const definition = await definitions.settled(resource, signal);
      if (definition === undefined) return nothing;
      const form = customForm(definition.paths, `${resource.group}/${resource.version}`);
      const listed = await readLists({ resource, form, wanted }, signal);
      if (listed.size === 0) return nothing;
      return (await definitions.isCurrent(definition, resource, signal)) ? listed : nothing;
    });
    return found ?? nothing;
  }

  async function readResource(resource: ServedResource, wanted: Names, signal: AbortSignal): Promise<Found> {
    const form = builtInForm(resource);
    return form === undefined ? readCustom(resource, wanted, signal) : readLists({ resource, form, wanted }, signal);
  }

  async function begin({ targets }: ScaleBatch, signal: AbortSignal): Promise<ReadonlyMap<string, Promise<Found>>> {
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

  async function resourcesOf(targets: ScaleBatch["targets"], signal: AbortSignal) {
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
      if (first?.hasScale !== true) return undefined;
      return isCustom(first) || builtInForm(first) !== undefined ? first : undefined;
    } catch (error) {
      if (isFault(error)) return undefined;
      throw error;
    }
  }

  async function fromBatch(target: ScaleTarget, signal: AbortSignal, batch: ScaleBatch): Promise<Scale | undefined> {
    const begun = batches.get(batch) ?? begin(batch, signal);
    batches.set(batch, begun);
    const lists = await begun;
    if (lists.size === 0) return undefined;
    const resource = await listable(target, signal);
    const found = resource && (await lists.get(idOf(resource)));
    return found?.get(scaleKey(target.namespace, target.name))?.();
  }

  return {
    async get(target, signal, batch) {
      const read = batch && (await fromBatch(target, signal, batch));
      return read ?? getScale({ api, discovery }, target, signal);
    },
    written({ apiVersion, kind }, { metadata }) {
      const { resourceVersion = "" } = metadata;
      if (isNumber(resourceVersion)) heard(versionsOf({ group: groupOf(apiVersion), kind }), BigInt(resourceVersion));
    },
  };
}

const nothing: Found = new Map();

const idOf = ({ group, version, resource }: ServedResource) => `${group}/${version}/${resource}`;
/** Versions are comparable within a group; Kubernetes' own kinds share theirs. */
const versionsOf = ({ group, kind }: Pick<ServedResource, "group" | "kind">) =>
  isCustom({ group }) ? `${group} ${kind.toLowerCase()}` : "";
const kindOf = ({ apiVersion = "", kind }: Pick<ScaleTarget, "apiVersion" | "kind">) => `${apiVersion} ${kind}`;

/**
 * True if reading each namespace by itself costs less. Not for a few objects: one request is kinder to an API server
 * than ten.
 */
function isTooWide({ elsewhere }: ListedScales, wanted: Names): boolean {
  const requests = [...wanted.values()].reduce((sum, { size }) => sum + (size < fewestListed ? size : 1), 0);
  return elsewhere > Math.max(requests * objectsPerRequest, countOf(wanted));
}

function countOf(names: Names, namespace?: string): number {
  if (namespace !== undefined) return names.get(namespace)?.size ?? 0;
  return [...names.values()].reduce((sum, { size }) => sum + size, 0);
}
