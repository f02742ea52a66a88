import { type HpaKey, splitKey } from "../model/hpa-key";
import type { EpochMs } from "../k8s/time";
import type { RecordedEvent } from "../model/stored/event-log";
import { rangesOf } from "./find-hpas";
import type { FindContext, Findings, Found, Scope } from "./found";

/** The events of the last hour, ordered by their last occurrence. The scope's names do not filter them. */
export async function findEvents({ store, signal, now }: FindContext, scope: Scope): Promise<Findings> {
  const { names: _, ...all } = scope;
  const parts = await Promise.all(
    rangesOf(all).map(async (range) => {
      const hpas = await store.events(range, signal);
      return hpas.map(({ key, events, broken }) => ({
        events: events.map((event) => foundEvent(range.cluster, key, event, now())),
        problems: broken === undefined ? [] : [`the events of ${key}: ${broken}`],
      }));
    }),
  );
  const hpas = parts.flat();
  const events = hpas.flatMap((one) => one.events).sort((a, b) => a.event.lastTimestamp - b.event.lastTimestamp);
  return { found: events, problems: hpas.flatMap(({ problems }) => problems) };
}

function foundEvent(cluster: string, key: HpaKey, event: RecordedEvent, readAt: EpochMs) {
  const [namespace, hpa] = splitKey(key);
  const object = coreEvent(namespace, hpa, event);
  return {
    type: "events",
    cluster,
    namespace,
    name: event.name,
    labels: {},
    object,
    readAt,
    event,
    hpa,
  } satisfies Found;
}

/** core/v1 Event. */
function coreEvent(namespace: string, hpa: string, event: RecordedEvent): object {
  const { name, type, reason, message, count } = event;
  const time = (at: number) => new Date(Math.floor(at / 1000) * 1000).toISOString().replace(".000Z", "Z");
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace, creationTimestamp: time(event.firstTimestamp) },
    involvedObject: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", namespace, name: hpa },
    type,
    reason,
    message,
    count,
    firstTimestamp: time(event.firstTimestamp),
    lastTimestamp: time(event.lastTimestamp),
    source: { component: "horizontal-pod-autoscaler" },
    reportingComponent: "horizontal-pod-autoscaler",
    reportingInstance: "",
  };
}
