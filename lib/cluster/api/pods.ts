import { isAbsent, isMap, present } from "../../k8s/map";
import type { Condition, ConditionStatus, Container, Pod } from "../../k8s/objects";
import type { ApiClient } from "./api-client";
import { listPages } from "./pages";
import { isInstant, isName, readLabels, readQuantities, unreadMetadata } from "./readable";

/**
 * With `resourceVersion=0`, the API server may answer from its cache, as for upstream's informer. It may page anyway.
 */
export async function listPods(
  api: ApiClient,
  namespace: string,
  selector: string,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const trim = { keep: readPod, unread: unreadOfPods };
  const items = await listPages(api, { ...podList(namespace, selector), trim }, signal);
  // Trimming leaves other items than objects.
  return items.map((item) => (isMap(item) ? (item as unknown as Pod) : unreadable(undefined)));
}

export interface OwnedPod {
  readonly pod: Pod;
  readonly owner?: { readonly kind: string; readonly name: string };
}

export async function listOwnedPods(
  api: ApiClient,
  namespace: string,
  selector: string,
  signal: AbortSignal,
): Promise<readonly OwnedPod[]> {
  const unread = unreadOfPods.filter((name) => name !== "ownerReferences");
  const trim = { keep: readOwnedPod, unread };
  const items = await listPages(api, { ...podList(namespace, selector), trim }, signal);
  return items.map((item) => (isMap(item) ? (item as unknown as OwnedPod) : { pod: unreadable(undefined) }));
}

function podList(namespace: string, selector: string) {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const subject = { verb: "list", group: "", resource: "pods", namespace, path } as const;
  const query = { first: { resourceVersion: "0" }, all: selector === "" ? {} : { labelSelector: selector } };
  return { subject, query, large: true, kinds: ["PodList"] };
}

function readOwnedPod(item: unknown): OwnedPod {
  const references = membersOf(membersOf(item)["metadata"])["ownerReferences"];
  const owners: readonly unknown[] = Array.isArray(references) ? references : [];
  const { kind, name } = membersOf(owners.find((one) => membersOf(one)["controller"] === true));
  const owner = isName(kind) && isName(name) ? { kind, name } : undefined;
  return { pod: readPod(item), ...present({ owner }) };
}

/** An unreadable pod counts as one without metrics. Without labels, it may belong to any HPA of the namespace. */
function unreadable(labels: Pod["metadata"]["labels"]): Pod {
  return { metadata: { name: "<unreadable>", ...present({ labels }) }, unreadable: true };
}

/** Valid labels, requests and conditions have no map or list for a value. */
const unreadOfPods = [
  ...unreadMetadata,
  ...["volumes", "affinity", "tolerations", "topologySpreadConstraints", "nodeSelector", "securityContext"],
  ...["imagePullSecrets", "hostAliases", "dnsConfig", "readinessGates", "ephemeralContainers", "resourceClaims"],
  ...["env", "envFrom", "command", "args", "ports", "volumeMounts", "volumeDevices", "limits", "lifecycle"],
  ...["livenessProbe", "readinessProbe", "startupProbe"],
  ...["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "podIPs", "hostIPs"],
];

/** A served Pod has 2 to 10 KB, this 0.3 KB. */
function readPod(item: unknown): Pod {
  const { metadata, spec, status } = membersOf(item);
  const { name, namespace, uid, deletionTimestamp, labels } = membersOf(metadata);
  const known = isAbsent(labels) ? {} : readLabels(labels);
  const read = { spec: readSpec(spec), status: readStatus(status) };
  if (!isName(name) || known === undefined) return unreadable(undefined);
  if (read.spec === undefined || read.status === undefined) return unreadable(known);
  return {
    metadata: {
      name,
      ...(isName(namespace) && { namespace }),
      ...(isName(uid) && { uid }),
      ...(typeof deletionTimestamp === "string" && { deletionTimestamp: deletionTimestamp.slice(0, 64) }),
      ...(!isAbsent(labels) && { labels: known }),
    },
    spec: read.spec,
    status: read.status,
  };
}

function readSpec(spec: unknown): Pod["spec"] {
  if (!isAbsent(spec) && !isMap(spec)) return undefined;
  const { containers, initContainers, resources, overhead } = membersOf(spec);
  const read = {
    containers: readContainers(containers),
    initContainers: readContainers(initContainers),
    resources: readRequests(resources),
    overhead: isAbsent(overhead) ? {} : readQuantities(overhead),
  };
  if (Object.values(read).includes(undefined)) return undefined;
  return {
    ...(!isAbsent(containers) && present({ containers: read.containers })),
    ...(!isAbsent(initContainers) && present({ initContainers: read.initContainers })),
    ...(read.resources?.requests && { resources: read.resources }),
    ...(!isAbsent(overhead) && present({ overhead: read.overhead })),
  };
}

function readContainers(containers: unknown): readonly Container[] | undefined {
  if (isAbsent(containers)) return [];
  if (!Array.isArray(containers)) return undefined;
  const read = containers.map(readContainer);
  return read.includes(undefined) ? undefined : (read as Container[]);
}

function readContainer(container: unknown): Container | undefined {
  const { name, restartPolicy, resources } = membersOf(container);
  const read = readRequests(resources);
  if (!isName(name) || read === undefined) return undefined;
  return { name, ...(isName(restartPolicy) && { restartPolicy }), ...(read.requests && { resources: read }) };
}

function readRequests(resources: unknown): NonNullable<Container["resources"]> | undefined {
  if (!isAbsent(resources) && !isMap(resources)) return undefined;
  const { requests } = membersOf(resources);
  if (isAbsent(requests)) return {};
  const read = readQuantities(requests);
  return read && { requests: read };
}

function readStatus(status: unknown): Pod["status"] {
  if (!isAbsent(status) && !isMap(status)) return undefined;
  const { phase, startTime, conditions } = membersOf(status);
  if (!isAbsent(conditions) && !Array.isArray(conditions)) return undefined;
  if (!isAbsent(startTime) && !isInstant(startTime)) return undefined;
  const ready = conditions?.find((condition: unknown) => membersOf(condition)["type"] === "Ready") as unknown;
  const read = ready === undefined ? undefined : readCondition(membersOf(ready));
  if (ready !== undefined && read === undefined) return undefined;
  return {
    ...(isName(phase) && { phase }),
    ...(!isAbsent(startTime) && { startTime }),
    conditions: read === undefined ? [] : [read],
  };
}

function readCondition({ status, lastTransitionTime }: Readonly<Record<string, unknown>>): Condition | undefined {
  if (!isName(status) || (!isAbsent(lastTransitionTime) && !isInstant(lastTransitionTime))) return undefined;
  const at = lastTransitionTime ?? undefined;
  return { type: "Ready", status: status as ConditionStatus, ...present({ lastTransitionTime: at }) };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}
