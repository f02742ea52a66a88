import { groupIn } from "../../lib/k8s/api-version";
import type { Reach } from "../../compose";
import type { ClusterEntry } from "../../lib/model/entry/entries";
import { isFault, type Fault } from "../../lib/model/fault";
import type { TargetCluster } from "../../lib/cluster/cluster";
import type { EpochMs } from "../../lib/k8s/time";
import { isOurs } from "../connect/reach";
import { findResources } from "../rbac/kinds";
import { objectRight } from "../rbac/rules";
import { isFailure } from "../failure";
import { checkLists, type TargetKind } from "./check-lists";
import { checkRights } from "./check-rights";
import { type Finding, fail, ok, skipped } from "./finding";
import { checkHpas, type HpaReads } from "./check-hpas";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { LocateExternal, Needs, Right } from "../../lib/read/needs";

/** An EKS token lives 15 minutes, a slot 15 seconds; the Date header is in whole seconds. */
const skewMs = 5_000;

interface Examined {
  readonly entry: ClusterEntry;
  readonly needs: Needs;
  readonly hpas: readonly HorizontalPodAutoscaler[];
  readonly locate: LocateExternal;
}

/** Connects as the entry says, then checks all that its HPAs need. Never rejects for what the cluster does. */
export async function checkCluster(
  { clusters }: Pick<Reach, "clusters">,
  { entry, needs, hpas, locate }: Examined,
  { now, signal }: { readonly now: () => EpochMs; readonly signal: AbortSignal },
): Promise<Pick<HpaReads, "findings" | "failing">> {
  const { name, spec } = entry;
  const what = `connects to ${spec.endpoint ?? "the kubeconfig's server"} by ${spec.auth.type}`;
  try {
    const cluster = await clusters.connect(entry, signal);
    const probe = { verb: "list", group: "", resource: "pods", namespace: "default" };
    const askedAt = now();
    const { serverTime } = await cluster.reviewAccess(probe, signal);
    const clock = checkClock({ serverTime, askedAt, answeredAt: now() });
    const [rights, reads] = await Promise.all([
      checkNeeds({ ...cluster, name }, { needs, hpas }, signal),
      checkHpas(cluster, hpas, { locate, signal }),
    ]);
    const served = await Promise.all(
      needs.metricsApis.map((api) => checkMetricsApi(cluster, { api, down: reads.unavailable.get(api) }, signal)),
    );
    const findings = [ok(what), ...clock, ...served, ...rights, ...reads.findings];
    return { findings, failing: reads.failing };
  } catch (error) {
    if (!isFault(error)) throw error;
    const finding =
      isOurs(error) && error.kind !== "badEntry"
        ? skipped(what, error.message)
        : fail(what, error.message, adviceFor(error, name, spec.auth.type));
    return { findings: [finding], failing: new Set() };
  }
}

interface Answered {
  readonly serverTime: EpochMs | undefined;
  readonly askedAt: EpochMs;
  readonly answeredAt: EpochMs;
}

/** The server read its clock between the question and the answer: a slow answer says nothing about its clock. */
function checkClock({ serverTime, askedAt, answeredAt }: Answered): readonly Finding[] {
  if (serverTime === undefined) return [];
  const aheadMs = Math.max(serverTime - answeredAt, 0) + Math.min(serverTime - askedAt, 0);
  // The header is cut to whole seconds: up to a second behind is exact.
  if (Math.abs(aheadMs) <= skewMs) return [ok("its clock and this machine's agree")];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const why = `the cluster's clock is ${seconds} s ${aheadMs > 0 ? "ahead" : "behind"}`;
  return [
    fail("its clock and this machine's agree", why, "find out which one is wrong (timedatectl), and let NTP set it"),
  ];
}

async function checkNeeds(
  cluster: TargetCluster & { readonly name: string },
  { needs, hpas }: Pick<Examined, "needs" | "hpas">,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const found = await Promise.all(needs.targets.map((target) => findTarget(cluster, target, signal)));
  const described = await Promise.all(needs.objects.map((object) => findObject(cluster, object, signal)));
  const all = [...found, ...described];
  // `described` names the Object metrics one by one.
  const others = needs.rights.filter(({ group, resource }) => group !== "custom.metrics.k8s.io" || resource !== "*");
  const rights = [...all.flatMap((each) => each.rights), ...others];
  const kinds = found.flatMap(({ target }) => target ?? []);
  const [checked, lists] = await Promise.all([
    checkRights(cluster, rights, signal),
    checkLists(cluster, { kinds, hpas }, signal),
  ]);
  return [...all.flatMap(({ findings }) => findings), ...checked, ...lists];
}

const providers: Readonly<Record<string, string>> = {
  "metrics.k8s.io": "install metrics-server",
  "custom.metrics.k8s.io": "install an adapter such as prometheus-adapter",
  "external.metrics.k8s.io": "install an adapter, or read the metric from one of ebb's sources (docs/metrics.md)",
};

/** `down`: what it said when an HPA's metric was read, if its server could not be reached. */
async function checkMetricsApi(
  { discovery }: TargetCluster,
  { api, down }: { readonly api: string; readonly down: string | undefined },
  signal: AbortSignal,
): Promise<Finding> {
  const what = `serves ${api}`;
  const [version] = await discovery.versions(api, signal);
  if (version === undefined) {
    const todo = `${providers[api] ?? ""}; kubectl get apiservices shows which exist`;
    return fail(what, "the cluster serves no such API", todo);
  }
  if (down === undefined) return ok(what);
  const service = `${version}.${api}`;
  const todo = `kubectl describe apiservice ${service} says why; check the pods of the adapter that it names`;
  return fail(what, `the APIService ${service} is not available: ${down}`, todo);
}

interface Found {
  readonly findings: readonly Finding[];
  readonly rights: readonly Right[];
  readonly target?: TargetKind;
}

/** The kind's resource, and the rights on its scale. */
async function findTarget(
  { discovery }: TargetCluster,
  { apiVersion, kind, namespaces }: Needs["targets"][number],
  signal: AbortSignal,
): Promise<Found> {
  const group = groupIn(apiVersion);
  try {
    const [first] = await discovery.resources(group, kind, signal);
    if (first === undefined) return { findings: [], rights: [] };
    const { resource } = first;
    if (!first.hasScale) {
      const todo = "only kinds with a scale subresource can be scaled: see scaleTargetRef of the HPAs";
      return {
        findings: [fail(`${kind} can be scaled`, `${resource}.${group} has no scale subresource`, todo)],
        rights: [],
      };
    }
    const right = { group, resource, subresource: "scale", verbs: ["get", "update"] };
    const rights = namespaces.map((namespace) => ({ ...right, namespace }));
    return { findings: [], rights, target: { group, resource, kind } };
  } catch (error) {
    if (!isFault(error, "notFound")) throw error;
    const todo = `install its CRD, or fix scaleTargetRef of the HPAs in ${namespaces.join(", ")}`;
    return { findings: [fail(`${kind} can be scaled`, error.message, todo)], rights: [] };
  }
}

/** The right to read an Object metric, as `ebb rbac` grants it. */
async function findObject(
  { discovery }: Pick<TargetCluster, "discovery">,
  object: Needs["objects"][number],
  signal: AbortSignal,
): Promise<Found> {
  const { kind, metricName, namespace } = object;
  try {
    const resources = await findResources(() => Promise.resolve({ discovery }), signal).ofObject(object);
    return { findings: [], rights: resources.map((resource) => objectRight(resource, object)) };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const todo = `install its CRD, or fix describedObject of the HPAs in ${namespace}`;
    return { findings: [fail(`${kind} has the metric ${metricName}`, error.message, todo)], rights: [] };
  }
}

const credentials: Readonly<Record<string, string>> = {
  eks: "map the role to the group ebb: aws eks create-access-entry --kubernetes-groups ebb; `ebb rbac` prints the Roles of that group",
  token: "put a valid token into the secret; `ebb init` prints the commands that make one",
  clientCertificate: "put a valid certificate and its key into the secret",
  kubeconfig: "renew the kubeconfig's credentials",
};

function adviceFor({ kind }: Fault, cluster: string, auth: string): string {
  switch (kind) {
    case "unauthorized":
      return credentials[auth] ?? "renew the credentials";
    case "forbidden":
      return "bind system:basic-user to system:authenticated, as Kubernetes does by default";
    case "badEntry":
      return `fix the entry: ebb edit cluster ${cluster}`;
    default:
      return `check that the endpoint is right (ebb get cluster ${cluster} -o yaml) and that this machine can reach it: firewall, VPN, private endpoint`;
  }
}
