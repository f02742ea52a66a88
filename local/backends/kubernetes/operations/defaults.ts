import type { JsonObject, KubernetesObject } from "../resources/object";
import { fieldAt, isJsonObject, listAt, textAt, withField } from "../resources/object";
import type { ResourceKind } from "../resources/kinds";
import { deployments, namespaces, pods, replicaSets, replicationControllers, statefulSets } from "../resources/kinds";

/** Upstream: pkg/apis/apps/v1/defaults.go and core/v1. */
export function withServerDefaults(resource: ResourceKind, object: KubernetesObject): KubernetesObject {
  switch (resource) {
    case deployments:
      return withSpec(withStatus(object, {}), {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      });
    case statefulSets:
      return withSpec(withStatus(object, { replicas: 0, availableReplicas: 0 }), {
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      });
    case replicaSets:
      return withSpec(withStatus(object, { replicas: 0 }), { replicas: 1 });
    case replicationControllers:
      return withSpec(withStatus(object, { replicas: 0 }), { replicas: 1, selector: templateLabels(object) });
    case pods:
      return {
        ...withStatus(object, { phase: "Pending", qosClass: qosClass(object) }),
        spec: podSpecDefaults(object.spec ?? {}),
      };
    case namespaces:
      return { ...object, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
    default:
      return object;
  }
}

function withStatus(object: KubernetesObject, status: JsonObject): KubernetesObject {
  return object.status === undefined ? { ...object, status } : object;
}

function withSpec(object: KubernetesObject, defaults: JsonObject): KubernetesObject {
  // Go's clients send an empty struct.
  const given = Object.entries(object.spec ?? {}).filter(([key, value]) => !(key in defaults && isEmpty(value)));
  const spec: JsonObject = { ...defaults, ...Object.fromEntries(given) };
  const template = spec["template"];
  const result = { ...object, spec };
  return isJsonObject(template) && isJsonObject(template["spec"])
    ? withField(result, "spec.template.spec", podSpecDefaults(template["spec"]))
    : result;
}

const isEmpty = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 0;

function templateLabels(object: KubernetesObject): unknown {
  const metadata = isJsonObject(object.spec?.["template"]) ? object.spec["template"]["metadata"] : undefined;
  return (isJsonObject(metadata) ? metadata["labels"] : undefined) ?? {};
}

function qosClass(pod: KubernetesObject): string {
  const asksForAnything = listAt(pod, "spec.containers").some((container) =>
    ["requests", "limits"].some((kind) => isJsonObject(fieldAt(container, `resources.${kind}`))),
  );
  return asksForAnything ? "Burstable" : "BestEffort";
}

function podSpecDefaults(spec: JsonObject): JsonObject {
  return {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
    ...spec,
    containers: listAt(spec, "containers").map((container) => ({
      resources: {},
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: textAt(container, "image")?.includes(":") ? "IfNotPresent" : "Always",
      ...container,
      ...(Array.isArray(container["ports"]) && {
        ports: listAt(container, "ports").map((port) => ({ protocol: "TCP", ...port })),
      }),
    })),
  };
}
