import type { Clock } from "../../clock";
import type { Random } from "../../random";
import { type KubernetesObject, timestamp } from "../resources/object";
import { events } from "../resources/kinds";
import type { ObjectStore } from "../resources/store";

/** Writes the Events that `kubectl describe` lists under an object. */
export type RecordEvent = (
  object: KubernetesObject,
  event: { readonly reason: string; readonly message: string; readonly component: string },
) => void;

/** How many of the latest events are kept. The real server keeps events for an hour. */
const keptEvents = 200;

export function createEventRecorder(parts: { store: ObjectStore; clock: Clock; random: Random }): RecordEvent {
  const { store, clock, random } = parts;
  return (object, { reason, message, component }) => {
    const { name, namespace = "default", uid, resourceVersion } = object.metadata;
    const at = timestamp(clock.now());
    store.put(events, {
      kind: "Event",
      apiVersion: "v1",
      metadata: {
        name: `${name}.${random.uuid().replaceAll("-", "").slice(0, 16)}`,
        ...{ namespace, uid: random.uuid(), resourceVersion: "", creationTimestamp: at },
      },
      involvedObject: { kind: object.kind, apiVersion: object.apiVersion, namespace, name, uid, resourceVersion },
      ...{ type: "Normal", reason, message, count: 1, firstTimestamp: at, lastTimestamp: at, eventTime: null },
      ...{ source: { component }, reportingComponent: component, reportingInstance: "" },
    });
    const oldestFirst = store
      .list(events, "")
      .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
    for (const old of oldestFirst.slice(0, -keptEvents)) store.remove(events, old);
  };
}
