import { groupIn } from "../k8s/objects";
import type { HorizontalPodAutoscaler, MetricIdentifier, MetricSpec } from "../k8s/hpa";
import { isMap } from "../k8s/map";
import { busyRuleOf, ignoresCosts } from "../model/entry/busy-rule";
import type { ServicePort } from "../model/ports/cluster";
import type { KnownSource, Right } from "../model/ports/sources";
import { proxyName } from "../model/service-name";

export type { Right };

export interface RequiredSource {
  readonly source: string;
  readonly metricName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly operands?: LocatedSource["operands"];
}

export interface RequiredPermissions {
  readonly targets: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespaces: readonly string[];
  }[];
  /** Objects of Object metrics: one for each metric, kind and namespace. */
  readonly objects: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metricName: string;
    readonly namespace: string;
  }[];
  /** Without scales, which need discovery. Object metrics have the resource "*". */
  readonly rights: readonly Right[];
  readonly metricsApis: readonly string[];
  readonly sources: readonly RequiredSource[];
  /** Once each, with its first HPA. */
  readonly invalidSources: readonly { readonly problem: string; readonly namespace: string; readonly name: string }[];
}

export type LocateExternal = (metric: MetricIdentifier) =>
  /** The cluster's external.metrics.k8s.io. */
  | { readonly kind: "cluster" }
  | LocatedSource
  | { readonly kind: "invalid"; readonly error: string; readonly from: string };

interface LocatedSource {
  readonly kind: "source";
  readonly source: string;
  readonly parameters: RequiredSource["parameters"];
  readonly operands?: readonly {
    readonly name: string;
    readonly metricName: string;
    readonly found: LocatedSource | { readonly kind: "invalid"; readonly error: string; readonly from: string };
  }[];
}

export interface RequirementOptions {
  readonly locate: LocateExternal;
  readonly sources?: Readonly<Record<string, Pick<KnownSource, "rights">>>;
  readonly mirrorsEvents: boolean;
  /** True if the kind reads services by port forwarding instead of requests. */
  readonly isForwarded?: (source: string) => boolean;
}

export function requiredPermissionsOf(
  hpas: readonly HorizontalPodAutoscaler[],
  { locate, sources: kinds = {}, mirrorsEvents, isForwarded = () => false }: RequirementOptions,
): RequiredPermissions {
  const targets = new Map<string, { apiVersion: string; kind: string; namespaces: string[] }>();
  const objects = new Map<string, RequiredPermissions["objects"][number]>();
  const rights = new Map<string, Right>();
  const sources = new Map<string, RequiredSource>();
  const invalidSources = new Map<string, RequiredPermissions["invalidSources"][number]>();
  const perNamespace = new Map<string, number>();
  const need = (right: Right) => rights.set(JSON.stringify(right), right);

  for (const hpa of hpas) {
    const { metadata, spec } = hpa;
    for (const right of busyRights(hpa)) need(right);
    const namespace = metadata.namespace ?? "default";
    const { apiVersion = "", kind } = spec.scaleTargetRef;
    const group = groupIn(apiVersion);
    const target = targets.get(`${group} ${kind}`) ?? { apiVersion, kind, namespaces: [] };
    if (!target.namespaces.includes(namespace)) target.namespaces.push(namespace);
    targets.set(`${group} ${kind}`, target);
    perNamespace.set(namespace, (perNamespace.get(namespace) ?? 0) + 1);
    if (mirrorsEvents) need({ group: "", resource: "events", verbs: ["create", "patch"], namespace });
    for (const metric of spec.metrics ?? []) {
      const right = rightOf(metric, namespace, locate);
      if (right !== undefined) need(right);
      if (readsPods(metric)) need({ group: "", resource: "pods", verbs: ["list"], namespace });
      if (metric.object !== undefined) {
        const { apiVersion: version = "", kind: described } = metric.object.describedObject;
        const object = { apiVersion: version, kind: described, metricName: metric.object.metric.name, namespace };
        objects.set(JSON.stringify(object), object);
      }
      if (metric.external === undefined) continue;
      const found = locate(metric.external.metric);
      if (found.kind === "invalid") {
        const problem = `${found.from}: ${found.error}`;
        if (!invalidSources.has(problem)) invalidSources.set(problem, { problem, namespace, name: metadata.name });
      }
      if (found.kind !== "source") continue;
      for (const required of requiredSources(found, metric.external.metric.name)) {
        sources.set(JSON.stringify(required), required);
        for (const right of serviceRights(required, isForwarded(required.source))) need(right);
        const kind = Object.hasOwn(kinds, required.source) ? kinds[required.source] : undefined;
        for (const right of kind?.rights?.(required.parameters) ?? []) need(right);
      }
    }
  }
  // Two HPAs may select the same pods: the sync lists them.
  for (const [namespace, count] of perNamespace) {
    if (count > 1) need({ group: "", resource: "pods", verbs: ["list"], namespace });
  }
  const metricsApis = [...new Set([...rights.values()].map(({ group }) => group))].filter((group) =>
    group.endsWith("metrics.k8s.io"),
  );
  return {
    targets: [...targets.values()],
    objects: [...objects.values()],
    rights: [...rights.values()],
    metricsApis: metricsApis.sort(),
    sources: [...sources.values()],
    invalidSources: [...invalidSources.values()],
  };
}

/** Undefined: no metrics API. */
function rightOf({ type, pods, external }: MetricSpec, namespace: string, locate: LocateExternal): Right | undefined {
  switch (type) {
    case "Resource":
    case "ContainerResource":
      return { group: "metrics.k8s.io", resource: "pods", verbs: ["list"], namespace };
    case "Pods":
      // The path names an object, "*", so the verb is get.
      return (
        pods && {
          group: "custom.metrics.k8s.io",
          resource: "pods",
          subresource: pods.metric.name,
          verbs: ["get"],
          namespace,
        }
      );
    case "Object":
      return { group: "custom.metrics.k8s.io", resource: "*", verbs: ["get"], namespace };
    case "External":
      return external !== undefined && locate(external.metric).kind === "cluster"
        ? { group: "external.metrics.k8s.io", resource: external.metric.name, verbs: ["list"], namespace }
        : undefined;
    default:
      return undefined;
  }
}

/** To find busy pods, and to let idle ones go first. */
function busyRights(hpa: HorizontalPodAutoscaler): readonly Right[] {
  const rule = busyRuleOf(hpa);
  if (rule === undefined) return [];
  const { namespace = "default" } = hpa.metadata;
  const pods = { group: "", resource: "pods", namespace };
  const { source } = rule;
  const metric = source.kind === "metric" ? { group: "custom.metrics.k8s.io", subresource: source.name } : undefined;
  return [
    { ...pods, verbs: ["list"] },
    ...(ignoresCosts(hpa)?.isStatefulSet === true ? [] : [{ ...pods, verbs: ["patch"] }]),
    ...(source.kind === "http" ? [{ ...pods, subresource: "proxy", verbs: ["get"] }] : []),
    ...(metric ? [{ ...pods, ...metric, verbs: ["get"] }] : []),
  ];
}

function requiredSources(
  { source, parameters, operands }: LocatedSource,
  metricName: string,
): readonly RequiredSource[] {
  const required = { source, metricName, parameters };
  if (operands === undefined) return [required];
  const ofOperands = operands.flatMap(({ metricName: name, found }) =>
    found.kind === "source" ? requiredSources(found, name) : [],
  );
  return [...ofOperands, { ...required, operands }];
}

function serviceRights(
  { parameters: { via } }: Pick<RequiredSource, "parameters">,
  isForwarded: boolean,
): readonly Right[] {
  if (!isMap(via)) return [];
  const { namespace, service, scheme } = via;
  const port = String(via["port"]);
  if (typeof namespace !== "string" || typeof service !== "string") return [];
  if (isForwarded) return forwardRights({ namespace, service, port });
  const name = proxyName({ service, port, scheme: scheme === "https" ? "https" : "http" });
  return [{ group: "", resource: "services", subresource: "proxy", name, verbs: ["get"], namespace }];
}

/**
 * Pods come and go, so no rule names them. API servers before 1.35 need `get` for a WebSocket, newer ones also
 * `create`.
 */
function forwardRights({ namespace, service, port }: Omit<ServicePort, "scheme">): readonly Right[] {
  const pods = { group: "", resource: "pods", subresource: "portforward", verbs: ["get", "create"], namespace };
  const slices = { group: "discovery.k8s.io", resource: "endpointslices", verbs: ["list"], namespace };
  // EndpointSlices name ports; the service has their numbers.
  const own = { group: "", resource: "services", name: service, verbs: ["get"], namespace };
  return [pods, slices, ...(/^\d+$/.test(String(port)) ? [own] : [])];
}

/** All but AverageValue of an Object or External metric. */
function readsPods({ type, external, object }: MetricSpec): boolean {
  const target = external?.target ?? object?.target;
  return (type !== "External" && type !== "Object") || target?.averageValue === undefined;
}
