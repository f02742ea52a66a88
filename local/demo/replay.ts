import type { KubernetesObject } from "../kubernetes/resources/object";
import type { QueueChange, QueueSnapshot } from "../sqs/account";
import type { Deduplicated, Message } from "../sqs/message";
import type { SimulationChange, SimulationSnapshot } from "./simulation";

interface KeptQueue {
  readonly attributes: QueueSnapshot["attributes"];
  readonly messages: Map<string, Message>;
  readonly tags: NonNullable<QueueSnapshot["tags"]>;
  readonly sent: Deduplicated[];
}

/**
 * The snapshot with the changes after it. If all changes up to the snapshot's moment are there, those that it already
 * has do no harm: each change carries the whole new value, and the last one equals the snapshot's.
 */
export function replay(snapshot: SimulationSnapshot, changes: Iterable<SimulationChange>): SimulationSnapshot {
  const objects = new Map(snapshot.cluster.objects.map((object) => [keyOf(object), object]));
  let resourceVersion = snapshot.cluster.resourceVersion ?? 0;
  const queues = new Map<string, KeptQueue>();
  for (const { name, attributes, messages, tags = {}, sent = [] } of snapshot.sqs.queues)
    queues.set(name, {
      attributes,
      messages: new Map(messages.map((message) => [message.id, message])),
      tags,
      sent: [...sent],
    });

  for (const change of changes) {
    if ("queue" in change) {
      applyToQueue(queues, change);
      continue;
    }
    const object = "object" in change ? change.object : change.removed;
    resourceVersion = Math.max(resourceVersion, Number(object.metadata.resourceVersion));
    if ("object" in change) objects.set(keyOf(object), object);
    else objects.delete(keyOf(object));
  }
  return {
    cluster: { objects: [...objects.values()], resourceVersion },
    sqs: {
      queues: [...queues].map(([name, { attributes, messages, tags, sent }]) => ({
        ...{ name, attributes, messages: [...messages.values()], tags, sent },
      })),
    },
  };
}

function applyToQueue(queues: Map<string, KeptQueue>, change: QueueChange): void {
  const { queue } = change;
  const known: KeptQueue = queues.get(queue) ?? {
    attributes: {},
    messages: new Map<string, Message>(),
    tags: {},
    sent: [],
  };
  const { messages, sent } = known;
  if ("attributes" in change) queues.set(queue, { ...known, attributes: change.attributes });
  else if ("tags" in change) queues.set(queue, { ...known, tags: change.tags });
  else if ("deleted" in change) queues.delete(queue);
  else if ("put" in change) {
    messages.set(change.put.id, change.put);
    if (change.sent !== undefined && !sent.some(({ id }) => id === change.put.id)) sent.push(change.sent);
  } else messages.delete(change.gone);
}

function keyOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  return JSON.stringify([apiVersion, kind, metadata.namespace ?? "", metadata.name]);
}
