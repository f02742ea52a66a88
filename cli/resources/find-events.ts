import { eventRow, wideEventRow } from "../../lib/k8s/printing/print-events";
import type { RecordedEvent } from "../../lib/model/event-log";
import type { Session } from "../session";
import { rangesOf } from "./find-hpas";
import type { Found } from "./found";
import type { Scope } from "./scope";

/** The events of the last hour, as `kubectl get events` knows them, by the moment of their last occurrence. */
export async function findEvents(session: Session, scope: Scope): Promise<readonly Found[]> {
  const { store, signal, now, out } = session;
  const { names: _, ...all } = scope;
  const found = await Promise.all(
    rangesOf(all).map(async (range) => {
      const hpas = await store.events(range, signal);
      for (const { key, broken } of hpas) if (broken !== undefined) out.warn(`the events of ${key}: ${broken}`);
      return hpas.flatMap(({ key, events }) =>
        events.map((event) => ({
          event,
          at: event.lastTimestamp,
          found: foundEvent(range.cluster, key, event, now()),
        })),
      );
    }),
  );
  return found
    .flat()
    .sort((a, b) => a.at - b.at)
    .map(({ found: event }) => event);
}

function foundEvent(cluster: string, key: string, event: RecordedEvent, now: number): Found {
  const [namespace = "", hpa = ""] = key.split("/");
  const listed = { ...event, object: `horizontalpodautoscaler/${hpa}` };
  return {
    cluster,
    namespace,
    name: event.name,
    labels: {},
    object: coreEvent(namespace, hpa, event),
    row: eventRow(listed, now),
    wideRow: wideEventRow(listed, now),
  };
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
