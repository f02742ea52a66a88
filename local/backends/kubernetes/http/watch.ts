import type { ServerResponse } from "node:http";
import type { KubernetesObject } from "../resources/object";
import type { StoreChange, ChangeType, ObjectStore } from "../resources/store";
import { groupVersion, type ResourceKind } from "../resources/kinds";
import { expired } from "../resources/status";

interface WatchQuery {
  readonly resource: ResourceKind;
  readonly namespace: string;
  readonly matches: (object: KubernetesObject) => boolean;
  /** "" and "0": begin with all existing objects. */
  readonly resourceVersion: string;
  readonly bookmarks: boolean;
  /** A streaming list: all existing objects, then a bookmark. */
  readonly sendInitialEvents: boolean;
  readonly timeoutMs: number;
  /** `first`: nothing has been sent yet. */
  show(object: KubernetesObject, first: boolean): unknown;
}

/** Ends when the client leaves, the time is over, or the server closes. */
export function startWatch(store: ObjectStore, query: WatchQuery, response: ServerResponse): void {
  const { resource, namespace, matches } = query;
  const fromNow = query.sendInitialEvents || query.resourceVersion === "" || query.resourceVersion === "0";
  const missed = fromNow ? [] : store.since(Number(query.resourceVersion));
  if (missed === undefined)
    throw expired(`too old resource version: ${query.resourceVersion} (${store.resourceVersion()})`);

  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
  response.flushHeaders();
  let first = true;
  const send = (type: string, object: unknown): void => void response.write(JSON.stringify({ type, object }) + "\n");
  const sendObject = (type: string, object: KubernetesObject): void => {
    send(type, query.show(object, first));
    first = false;
  };
  const pass = (change: StoreChange): void => {
    const type = typeSeen(change, query);
    if (type !== undefined) sendObject(type, change.object);
  };

  if (fromNow) for (const object of store.list(resource, namespace).filter(matches)) sendObject("ADDED", object);
  if (query.sendInitialEvents) send("BOOKMARK", bookmark(query, store, { "k8s.io/initial-events-end": "true" }));
  missed.forEach(pass);
  const unsubscribe = store.subscribe(pass);
  const timer = setTimeout(() => {
    if (query.bookmarks) send("BOOKMARK", bookmark(query, store, {}));
    response.end();
  }, query.timeoutMs);
  response.on("close", () => {
    clearTimeout(timer);
    unsubscribe();
  });
}

// With a selector, an object is "added" when it begins to match, and "deleted" when it stops.
function typeSeen(change: StoreChange, { resource, namespace, matches }: WatchQuery): ChangeType | undefined {
  const isSameKind = change.resource.plural === resource.plural && change.resource.group === resource.group;
  if (!isSameKind || (namespace !== "" && change.object.metadata.namespace !== namespace)) return undefined;
  const before = change.before !== undefined && matches(change.before);
  const after = change.type !== "DELETED" && matches(change.object);
  if (before && after) return "MODIFIED";
  if (after) return "ADDED";
  return before ? "DELETED" : undefined;
}

function bookmark({ resource }: WatchQuery, store: ObjectStore, annotations: Record<string, string>): unknown {
  return {
    kind: resource.kind,
    apiVersion: groupVersion(resource),
    metadata: { resourceVersion: String(store.resourceVersion()), creationTimestamp: null, annotations },
  };
}
