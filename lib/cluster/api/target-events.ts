import type { ObservedTarget } from "../../model/ports/cluster";
import { isFault } from "../../model/fault";
import type { RecordedEvent } from "../../model/stored/event-log";
import { formatSeconds } from "../../k8s/time";
import type { ApiClient } from "./api-client";
import type { Subject } from "./api-fault";
import { type DiscoveredApi, type Discovery, groupOf } from "./discovery";

/**
 * Like upstream's recorder (client-go, tools/record/event.go): creates a core/v1 Event, and later patches count, last
 * time and message. A write that may have happened is not repeated: the next occurrence carries the count.
 */
export async function recordTargetEvent(
  { api, discovery }: DiscoveredApi,
  target: ObservedTarget,
  event: RecordedEvent,
  signal: AbortSignal,
): Promise<void> {
  const name = target.name + event.name.slice(event.name.lastIndexOf("."));
  if (event.count > 1 && (await patch(api, target.namespace, name, { event, signal }))) return;
  const path = `/api/v1/namespaces/${encodeURIComponent(target.namespace)}/events`;
  const subject: Subject = { verb: "create", group: "", resource: "events", namespace: target.namespace, path };
  const body = eventObject(name, await involvedObject(discovery, target, signal), event);
  try {
    await api({ method: "POST", subject, body, kinds: ["Event"] }, signal);
  } catch (error) {
    if (!isFault(error, "conflict")) throw error;
  }
}

/** @returns false if the object does not exist any more. */
async function patch(
  api: ApiClient,
  namespace: string,
  name: string,
  { event, signal }: { readonly event: RecordedEvent; readonly signal: AbortSignal },
): Promise<boolean> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events/${encodeURIComponent(name)}`;
  const subject: Subject = { verb: "patch", group: "", resource: "events", namespace, name, path };
  const body = { count: event.count, lastTimestamp: formatSeconds(event.lastTimestamp), message: event.message };
  try {
    await api({ method: "PATCH", subject, body, kinds: ["Event"] }, signal);
    return true;
  } catch (error) {
    if (isFault(error, "notFound")) return false;
    throw error;
  }
}

/** As the API serves the object: `kubectl describe` looks for these names. */
async function involvedObject(discovery: Discovery, target: ObservedTarget, signal: AbortSignal) {
  const { namespace, name, uid, resourceVersion } = target;
  const [served] = await discovery.resources(groupOf(target.apiVersion), target.kind, signal);
  const { group = "", version = "v1", kind = target.kind } = served ?? {};
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { apiVersion, kind, namespace, name, uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

function eventObject(name: string, involved: Awaited<ReturnType<typeof involvedObject>>, event: RecordedEvent) {
  const { type, reason, message, count, firstTimestamp, lastTimestamp } = event;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: involved.namespace },
    involvedObject: involved,
    reason,
    message,
    type,
    count,
    firstTimestamp: formatSeconds(firstTimestamp),
    lastTimestamp: formatSeconds(lastTimestamp),
    source: { component: "horizontal-pod-autoscaler" },
    reportingComponent: "ebb",
    reportingInstance: "",
  };
}
