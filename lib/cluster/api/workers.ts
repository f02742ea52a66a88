import { isMap, present } from "../../k8s/map";
import type { DeletionCost, WorkerPod, WorkerPods, WorkerQuery } from "../../model/ports/cluster";
import type { ApiClient } from "./api-client";
import type { Subject } from "./api-fault";
import { listPages } from "./pages";
import { isName } from "./readable";

export const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";
/** On ebb's own costs, with the same text. */
export const ownCostAnnotation = "ebb.dev/pod-deletion-cost";

const unread = [
  ...["managedFields", "finalizers", "labels", "spec"],
  ...["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "podIPs", "hostIPs"],
];

/** V8 keeps the whole text for a longer slice of it. */
const copied = 12;

/** Without `resourceVersion=0`: an annotation may be new. */
export async function listWorkers(
  api: ApiClient,
  { namespace, selector, annotation }: WorkerQuery,
  signal: AbortSignal,
): Promise<WorkerPods> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const subject = { verb: "list", group: "", resource: "pods", namespace, path } as const;
  const query = { first: {}, all: { labelSelector: selector, limit: "500" } };
  const trim = { keep: (item: unknown) => readWorker(item, annotation) ?? {}, unread };
  const items = await listPages(api, { subject, query, large: true, kinds: ["PodList"], trim }, signal);
  const pods = items.filter((item): item is WorkerPod => isMap(item) && typeof item["name"] === "string");
  return { pods, unreadable: items.length - pods.length };
}

export function readWorker(item: unknown, annotation: string | undefined): WorkerPod | undefined {
  const { metadata, status } = membersOf(item);
  const { name, resourceVersion, annotations, deletionTimestamp, ownerReferences } = membersOf(metadata);
  if (!isName(name) || !isName(resourceVersion)) return undefined;
  const { phase, conditions } = membersOf(status);
  const own = membersOf(annotations);
  const textOf = (key: string) => {
    const text = Object.hasOwn(own, key) ? own[key] : undefined;
    return typeof text === "string" ? text : undefined;
  };
  const cost = textOf(costAnnotation);
  return {
    name,
    resourceVersion,
    ...(typeof phase === "string" && { phase: phase.slice(0, copied) }),
    isReady: listOf(conditions).some(
      (one) => membersOf(one)["type"] === "Ready" && membersOf(one)["status"] === "True",
    ),
    isEnding: typeof deletionTimestamp === "string",
    ...present({ replicaSet: replicaSetOf(ownerReferences) }),
    ...(annotation !== undefined && present({ mark: textOf(annotation)?.slice(0, copied) })),
    ...(cost !== undefined && { cost: costOf(cost), isOwnCost: cost === textOf(ownCostAnnotation) }),
  };
}

/** Upstream: GetDeletionCostFromPodAnnotations, pkg/apis/core/helper. */
function costOf(text: string): number {
  const cost = /^(0|-?[1-9]\d{0,9})$/.test(text) ? Number(text) : 0;
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

function replicaSetOf(references: unknown): string | undefined {
  const { name } = membersOf(listOf(references).find((one) => membersOf(one)["controller"] === true));
  return isName(name) ? name : undefined;
}

export async function setDeletionCost(
  api: ApiClient,
  { namespace, pod, cost, mayStart }: DeletionCost,
  signal: AbortSignal,
): Promise<void> {
  const { name, resourceVersion } = pod;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const subject: Subject = { verb: "patch", group: "", resource: "pods", namespace, name, path };
  const text = cost === null ? null : String(cost);
  const annotations = { [costAnnotation]: text, [ownCostAnnotation]: text };
  const body = { metadata: { resourceVersion, annotations } };
  await api({ method: "PATCH", subject, body, kinds: ["Pod"], mayStart }, signal);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
