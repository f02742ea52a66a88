import type { RunTime } from "../../../lib/async/run-time";
import type { Connections } from "../../../compose";
import type { Advice } from "../../../lib/model/advice";
import type { ClusterAuth, ClusterEntry } from "../../../lib/model/entry/entries";
import { isFault, type Fault } from "../../../lib/model/fault";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import type { EpochMs } from "../../../lib/k8s/time";
import type { Grant } from "../../shell/advice/clusters";
import { advice } from "../../shell/advice/table";
import { granteeOf } from "../../set-up/rbac-manifests";
import { checkLists, findObject, findTarget } from "./check-lists";
import { reconnect, toKnow } from "./connection-advice";
import { type Finding, fail, ok, skipped } from "./finding";
import { checkHpas, type HpaReads } from "./check-hpas";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import type { LocateExternal, RequiredPermissions, Right } from "../../../lib/read/required-permissions";

/** An EKS token lives 15 minutes, a slot 15 seconds; the Date header is in whole seconds. */
const skewMs = 5_000;

interface Examined {
  readonly entry: ClusterEntry;
  readonly required: RequiredPermissions;
  readonly hpas: readonly HorizontalPodAutoscaler[];
  readonly locate: LocateExternal;
}

/** Never rejects because of the cluster. */
export async function checkCluster(
  { clusters }: Pick<Connections, "clusters">,
  { entry, required, hpas, locate }: Examined,
  { now, signal }: RunTime,
): Promise<Pick<HpaReads, "findings" | "failing">> {
  const { name, spec } = entry;
  const what = `connects to ${spec.endpoint ?? "the kubeconfig's server"} by ${spec.auth.type}`;
  const refused = new Map<Fault, Advice>();
  try {
    const cluster = noting(await clusters.connect(entry, signal), { cluster: name, refused });
    const probe = { verb: "list", group: "", resource: "pods", namespace: "default" };
    const askedAt = now();
    const { serverTime } = await cluster.reviewAccess(probe, signal);
    const clock = checkClock({ serverTime, askedAt, answeredAt: now() });
    const [rights, reads] = await Promise.all([
      ownGrantee(cluster, spec.auth, signal).then((grantee) =>
        checkRequired({ ...cluster, cluster: name, ...grantee }, { required, hpas }, signal),
      ),
      checkHpas({ ...cluster, name }, hpas, { locate, signal }),
    ]);
    const served = await Promise.all(
      required.metricsApis.map((api) =>
        checkMetricsApi({ ...cluster, name }, { api, down: reads.unavailable.get(api) }, signal),
      ),
    );
    const findings = [ok(what), ...clock, ...served, ...rights, ...reads.findings];
    return { findings, failing: reads.failing };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { findings: [unconnected(what, error, { entry, refused })], failing: new Set() };
  }
}

function noting(
  found: TargetCluster,
  { cluster, refused }: { readonly cluster: string; readonly refused: Map<Fault, Advice> },
): TargetCluster {
  const noted =
    <Args extends readonly unknown[], Of>(call: (...args: Args) => Promise<Of>, todo: Advice) =>
    async (...args: Args): Promise<Of> => {
      try {
        return await call(...args);
      } catch (error) {
        if (isFault(error, "forbidden")) refused.set(error, todo);
        throw error;
      }
    };
  const { discovery } = found;
  const toDiscover = advice.bindDiscovery({ cluster });
  return {
    ...found,
    reviewAccess: noted((...args) => found.reviewAccess(...args), advice.bindBasicUser({ cluster })),
    discovery: {
      versions: noted((...args) => discovery.versions(...args), toDiscover),
      resources: noted((...args) => discovery.resources(...args), toDiscover),
    },
  };
}

function unconnected(
  what: string,
  error: Fault,
  { entry, refused }: { readonly entry: ClusterEntry; readonly refused: ReadonlyMap<Fault, Advice> },
): Finding {
  const { lack, message } = error;
  if (lack !== undefined) return skipped(what, message, toKnow(lack, entry));
  const todo = refused.get(error) ?? reconnect(error, entry);
  const { auth } = entry.spec;
  // Without a role, the token is the caller's own, and the cluster need not know the caller.
  const isPersons = auth.type === "eks" && auth.roleArn === undefined && error.kind === "unauthorized";
  return isPersons ? skipped(what, message, todo) : fail(what, message, todo);
}

interface Answered {
  readonly serverTime: EpochMs | undefined;
  readonly askedAt: EpochMs;
  readonly answeredAt: EpochMs;
}

/** The server read its clock between request and answer, so a slow answer is no evidence. */
function checkClock({ serverTime, askedAt, answeredAt }: Answered): readonly Finding[] {
  if (serverTime === undefined) return [];
  const aheadMs = Math.max(serverTime - answeredAt, 0) + Math.min(serverTime - askedAt, 0);
  // The header is cut to whole seconds: up to a second behind is exact.
  if (Math.abs(aheadMs) <= skewMs) return [ok("its clock and this machine's agree")];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const why = `the cluster's clock is ${seconds} s ${aheadMs > 0 ? "ahead" : "behind"}`;
  return [fail("its clock and this machine's agree", why, advice.setClock())];
}

async function checkRequired(
  cluster: TargetCluster & Grant,
  { required, hpas }: Pick<Examined, "required" | "hpas">,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const found = await Promise.all(required.targets.map((target) => findTarget(cluster, target, { hpas, signal })));
  const described = await Promise.all(required.objects.map((object) => findObject(cluster, object, { hpas, signal })));
  const all = [...found, ...described];
  // `described` names the Object metrics one by one.
  const others = required.rights.filter(({ group, resource }) => group !== "custom.metrics.k8s.io" || resource !== "*");
  const rights = [...all.flatMap((each) => each.rights), ...others];
  const kinds = found.flatMap(({ target }) => target ?? []);
  const [checked, lists] = await Promise.all([
    checkRights(cluster, rights, signal),
    checkLists(cluster, { kinds, hpas }, signal),
  ]);
  return [...all.flatMap(({ findings }) => findings), ...checked, ...lists];
}

function providerOf(api: string, cluster: string): Advice {
  if (api === "metrics.k8s.io") return advice.installMetricsServer({ cluster });
  return api === "custom.metrics.k8s.io"
    ? advice.installCustomAdapter({ cluster })
    : advice.installExternalAdapter({ cluster });
}

/** `down`: the error of an HPA's metric, if its server was unreachable. */
async function checkMetricsApi(
  { discovery, name }: Pick<TargetCluster, "discovery"> & { readonly name: string },
  { api, down }: { readonly api: string; readonly down: string | undefined },
  signal: AbortSignal,
): Promise<Finding> {
  const what = `serves ${api}`;
  const [version] = await discovery.versions(api, signal);
  if (version === undefined) {
    return fail(what, "the cluster serves no such API", providerOf(api, name));
  }
  if (down === undefined) return ok(what);
  const service = `${version}.${api}`;
  const todo = advice.startAdapter({ cluster: name, api: service });
  return fail(what, `the APIService ${service} is not available: ${down}`, todo);
}

async function ownGrantee(
  { reviewSelf }: Pick<TargetCluster, "reviewSelf">,
  auth: ClusterAuth,
  signal: AbortSignal,
): Promise<Omit<Grant, "cluster">> {
  try {
    return granteeOf(await reviewSelf(signal), auth);
  } catch (error) {
    if (!isFault(error)) throw error;
    return { subject: [] };
  }
}

interface Reviewed extends Pick<TargetCluster, "reviewAccess">, Grant {}

/** One finding for each permission and namespace; a single one if it is granted in all. Rejects with a Fault. */
async function checkRights(
  cluster: Reviewed,
  rights: readonly Right[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const byResource = new Map<string, Right[]>();
  for (const right of rights) {
    const name = `${nameOf(right)} ${right.verbs.join()}`;
    byResource.set(name, [...(byResource.get(name) ?? []), right]);
  }
  const findings = [...byResource.values()].map(async (same) => {
    const [first] = same;
    if (first === undefined) return [];
    const everywhere = await missingVerbs(cluster, { ...first, namespace: "" }, signal);
    if (everywhere.length === 0) return [ok(`may ${first.verbs.join(" and ")} ${nameOf(first)}`)];
    return Promise.all(same.map((right) => checkRight(cluster, right, signal)));
  });
  return (await Promise.all(findings)).flat();
}

async function checkRight(cluster: Reviewed, right: Right, signal: AbortSignal): Promise<Finding> {
  const missing = await missingVerbs(cluster, right, signal);
  const where = `in namespace ${right.namespace}`;
  if (missing.length === 0) return ok(`may ${right.verbs.join(" and ")} ${nameOf(right)} ${where}`);
  const { group, verbs } = right;
  const names = right.name === undefined ? "" : ` resourceNames: ["${right.name}"],`;
  const rule = `{apiGroups: ["${group}"], resources: ["${resourceOf(right)}"],${names} verbs: [${verbs.join(", ")}]}`;
  const what = `may ${right.verbs.join(" and ")} ${nameOf(right)} ${where}`;
  const grant = { cluster: cluster.cluster, subject: cluster.subject, rule };
  const todo = cluster.role === undefined ? advice.grantRights(grant) : advice.joinGroup({ ...grant, ...cluster.role });
  return fail(what, `${missing.join(" and ")} not allowed`, todo);
}

async function missingVerbs(
  cluster: Reviewed,
  { verbs, ...attributes }: Right,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const reviews = await Promise.all(verbs.map((verb) => cluster.reviewAccess({ verb, ...attributes }, signal)));
  return verbs.filter((_, index) => reviews[index]?.allowed !== true);
}

function resourceOf({ resource, subresource }: Right): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

function nameOf({ group, resource, subresource, name }: Right): string {
  const whole = `${resource}${group === "" ? "" : `.${group}`}${subresource === undefined ? "" : `/${subresource}`}`;
  return name === undefined ? whole : `${whole} ${name}`;
}
