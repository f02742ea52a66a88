import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { isMap } from "../../../lib/k8s/map";
import type { EpochMs } from "../../../lib/k8s/time";
import type { Advice } from "../../../lib/model/advice";
import { isPaused, readOperations } from "../../../lib/model/entry/annotations";
import type { ClusterEntry } from "../../../lib/model/entry/entries";
import { isFault } from "../../../lib/model/fault";
import { type HpaKey, hpaKey } from "../../../lib/model/hpa-key";
import type { Store } from "../../../lib/model/ports/store";
import type { UnreadQuery, PollerLease } from "../../../lib/model/stored/idle";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import {
  type RequirementOptions,
  requiredPermissionsOf,
  type RequiredSource,
} from "../../../lib/read/required-permissions";
import { descriptionOf } from "../../../lib/sources/descriptions";
import { isLasting } from "../../../lib/poller/unread";
import { advice } from "../../shell/advice/table";
import { localTimes } from "../../shell/print/times";
import { type Finding, fail, ok, skipped } from "./finding";

interface Examined extends Pick<RequirementOptions, "locate" | "sources"> {
  readonly entry: ClusterEntry;
  readonly hpas: readonly HorizontalPodAutoscaler[];
  readonly states: Readonly<Record<string, State>>;
}

interface PollerState {
  readonly lease: PollerLease | undefined;
  readonly now: EpochMs;
}

interface Context extends Examined, PollerState {}

interface Reads extends PollerState {
  readonly store: Pick<Store, "idle">;
  readonly shards: readonly Shard[];
  readonly signal: AbortSignal;
}

/** Each minute starts a poller. */
const staleMs = 90_000;

/** Nobody can try the poller's role from here: this reads the failures in its lease item. Rejects with a Fault. */
export async function checkPoller(
  examined: Examined,
  { store, shards, lease, now, signal }: Reads,
): Promise<readonly Finding[]> {
  const { name: cluster } = examined.entry;
  const own = shards.filter((shard) => shard.cluster === cluster && shard.idle !== undefined);
  // In sequence: each may take a quarter of the heap, and only its keys are kept.
  const atZero = new Set<string>();
  for (const shard of own) for (const key of Object.keys(await store.idle(shard, signal))) atZero.add(key);
  const context = { ...examined, lease, now };
  const isPolling = lease !== undefined && lease.until >= now - staleMs;
  const watched = context.hpas.filter((hpa) => isPolling && atZero.has(keyOf(hpa)));
  const unread = unreadQueries(context);
  const failing = (lease?.unread?.queries ?? []).flatMap((query) => (query.cluster === cluster ? query.hpa : []));
  const well = watched.filter((hpa) => !failing.includes(keyOf(hpa))).length;
  return [
    ...(well === 0 ? [] : [ok(`the zero-scale poller reads what ${hpasText(well)} at zero scale on`)]),
    ...unread.map((query) => unreadFinding(query, context, isPolling)),
    ...untried(context, [...watched.map(keyOf), ...failing]),
  ];
}

/** Only those that sync can read: the others have findings of the last sync. */
function unreadQueries({ entry, lease, hpas, states }: Context): readonly UnreadQuery[] {
  const known = new Set<string>(hpas.map(keyOf));
  return (lease?.unread?.queries ?? []).filter((query) => {
    const { warnings = [] } = (Object.hasOwn(states, query.hpa) ? states[query.hpa] : undefined) ?? {};
    return isLasting(query) && query.cluster === entry.name && known.has(query.hpa) && warnings.length === 0;
  });
}

function unreadFinding({ hpa, metric, error, since }: UnreadQuery, context: Context, isPolling: boolean): Finding {
  const { hpas, lease, now } = context;
  const what = `the zero-scale poller reads ${metric} of HPA ${hpa}`;
  const required = hpas.filter((one) => keyOf(one) === hpa).flatMap((one) => sourcesOf(one, context));
  const isThrough = required.some((need) => outside(need, context) === "cluster");
  const todo = grant(context, isThrough);
  const times = localTimes(now);
  if (isPolling) return fail(what, `no reading was answered since ${times.moment(since)}: ${error}`, todo);
  const last = times.moment(lease?.until ?? since);
  return skipped(what, `nothing is at zero now; until ${last}, no reading was answered: ${error}`, todo);
}

/** HPAs whose queries will need a permission beyond the stack at their next zero. */
function untried(context: Context, tried: readonly HpaKey[]): readonly Finding[] {
  const wanted = context.hpas.filter((hpa) => !tried.includes(keyOf(hpa)) && isFast(hpa, context.now));
  return Object.entries(grants).flatMap(([kind, what]) => {
    const own = wanted.filter((hpa) => sourcesOf(hpa, context).some((need) => outside(need, context) === kind));
    const [first] = own;
    if (first === undefined) return [];
    const whose = own.length === 1 ? `HPA ${keyOf(first)}` : `HPA ${keyOf(first)} and ${own.length - 1} more`;
    const why = `it reads the sources of ${whose} at zero, with a role of its own`;
    return [skipped(`the zero-scale poller ${what}`, why, grant(context, kind === "cluster"))];
  });
}

const grants = {
  cluster: "reads sources through the cluster",
  account: "reads queues of other accounts",
  iam: "signs in to brokers by IAM",
} as const;

function outside(
  { source, parameters }: RequiredSource,
  { entry, sources, lease }: Context,
): keyof typeof grants | undefined {
  const kind = sources !== undefined && Object.hasOwn(sources, source) ? sources[source] : undefined;
  const isThrough = isMap(parameters["via"]) || (kind?.rights?.(parameters) ?? []).length > 0;
  if (isThrough) return entry.spec.auth.type === "eks" ? "cluster" : undefined;
  if (parameters["awsIam"] === true) return "iam";
  // Every queue URL has an account. The poller's role ARN has the stack's own.
  const own = lease?.role?.split(":")[4];
  const isForeign = own !== undefined && accountsOf({ source, parameters }).some((account) => account !== own);
  return isForeign ? "account" : undefined;
}

function accountsOf({ source, parameters }: Pick<RequiredSource, "source" | "parameters">): readonly string[] {
  try {
    const query = descriptionOf(source)?.parse({ metricName: source, parameters }) as Addressed | undefined;
    return (query?.queues?.addresses ?? []).flatMap(({ account }) => account ?? []);
  } catch (error) {
    if (isFault(error, "badEntry")) return []; // check-sources reports it
    throw error;
  }
}

interface Addressed {
  readonly queues?: { readonly addresses?: readonly { readonly account?: string }[] };
}

function grant({ entry, lease }: Context, isThroughCluster: boolean): Advice {
  const { auth } = entry.spec;
  const { role } = lease ?? {};
  if (isThroughCluster && auth.type === "eks" && auth.roleArn === undefined && role !== undefined)
    return advice.letPollerIn({ cluster: entry.name, eks: auth, roleArn: role });
  return advice.grantPoller({ role });
}

function sourcesOf(hpa: HorizontalPodAutoscaler, { locate, sources }: Context): readonly RequiredSource[] {
  return requiredPermissionsOf([hpa], { locate, ...(sources && { sources }), mirrorsEvents: false }).sources;
}

/** Ignores the deployment's wakeDefault, which is unknown here. */
function isFast({ metadata, spec }: HorizontalPodAutoscaler, now: EpochMs): boolean {
  const operations = readOperations(metadata);
  if ("errors" in operations || isPaused(operations, now) || operations.dryRun) return false;
  return operations.wake === "fast" && spec.minReplicas === 0;
}

function keyOf({ metadata: { namespace = "default", name } }: HorizontalPodAutoscaler): HpaKey {
  return hpaKey(namespace, name);
}

function hpasText(count: number): string {
  return count === 1 ? "1 HPA" : `${count} HPAs`;
}
