import { present } from "../../k8s/map";
import type { Condition, Container, Pod } from "../../k8s/objects";
import type { ApiClient, ApiObject } from "../transport/api-client";
import { namedItems } from "./list-objects";

/** Far above any namespace: 100,000 pods at 500 a page. */
const MAX_PAGES = 200;

/**
 * The pods of a namespace, reduced to what a decision reads. With `resourceVersion=0`, the API server may answer from
 * its cache, as for upstream's informer. If it pages anyway, this follows the pages.
 */
export async function listPods(
  api: ApiClient,
  namespace: string,
  selector: string,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const subject = { verb: "list", group: "", resource: "pods", namespace, path } as const;
  const filter = selector === "" ? {} : { labelSelector: selector };
  const pods: Pod[] = [];
  let page: Readonly<Record<string, string>> = { resourceVersion: "0" };
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const list = await api(
      { method: "GET", subject, query: { ...filter, ...page }, large: true, kinds: ["PodList"] },
      signal,
    );
    for (const pod of namedItems<Pod>(list, "pods")) pods.push(cut(pod));
    const next = continueToken(list);
    if (next === undefined) break;
    page = { continue: next };
  }
  return pods;
}

function continueToken(list: ApiObject): string | undefined {
  const token = (list["metadata"] as { continue?: unknown } | undefined)?.continue;
  return typeof token === "string" && token !== "" ? token : undefined;
}

/** A served Pod is 2 to 10 KB: mostly volumes, env, managed fields and container statuses. This is 0.3 KB. */
function cut({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, deletionTimestamp, labels } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return {
    metadata: {
      name,
      ...present("namespace", namespace),
      ...present("uid", uid),
      ...present("deletionTimestamp", deletionTimestamp),
      ...present("labels", labels),
    },
    spec: {
      ...present("containers", spec?.containers?.map(cutContainer)),
      ...present("initContainers", spec?.initContainers?.map(cutContainer)),
      ...present("resources", cutResources(spec?.resources)),
    },
    status: {
      ...present("phase", status?.phase),
      ...present("startTime", status?.startTime),
      conditions: ready === undefined ? [] : [cutCondition(ready)],
    },
  };
}

function cutContainer({ name, restartPolicy, resources }: Container): Container {
  return {
    name,
    ...present("restartPolicy", restartPolicy),
    ...present("resources", cutResources(resources)),
  };
}

function cutResources(resources: Container["resources"]): Container["resources"] | undefined {
  return resources?.requests === undefined ? undefined : { requests: resources.requests };
}

function cutCondition({ type, status, lastTransitionTime }: Condition): Condition {
  return { type, status, ...present("lastTransitionTime", lastTransitionTime) };
}
