import { createHash } from "node:crypto";
import type { Api } from "../operations/api";
import type { JsonObject, KubernetesObject } from "../resources/object";
import { fieldAt, numberAt, timestamp, withField, objectAt } from "../resources/object";
import { deployments, replicaSets } from "../resources/kinds";
import type { ControllerParts } from "./machinery";
import { splitKey } from "../../../../lib/model/hpa-key";
import { dependentsOf, ownedBy, setCondition } from "./machinery";

/**
 * A changed template moves all replicas to the newest ReplicaSet at once: an autoscaler does not see how a rollout
 * spreads.
 */
export function reconcileDeployment({ store, api, clock, recordEvent }: ControllerParts, key: string): void {
  const [namespace, name] = splitKey(key);
  const deployment = store.get(deployments, namespace, name);
  if (deployment === undefined) return;
  const owned = dependentsOf(store, replicaSets, deployment);
  const hash = templateHash(deployment);
  const current = owned.find((set) => set.metadata.name === `${name}-${hash}`);
  const replicas = numberAt(deployment, "spec.replicas") ?? 0;

  const scaled = (from: number, to: number, set: string): void => {
    const message = `Scaled ${to > from ? "up" : "down"} replica set ${set} from ${from} to ${to}`;
    recordEvent(deployment, { reason: "ScalingReplicaSet", message, component: "deployment-controller" });
  };
  if (current === undefined) {
    createReplicaSet(api, deployment, { hash, replicas });
    if (replicas > 0) scaled(0, replicas, `${name}-${hash}`);
  }
  for (const set of owned) {
    const from = numberAt(set, "spec.replicas") ?? 0;
    const to = set === current ? replicas : 0;
    if (from === to) continue;
    store.put(replicaSets, withGenerationOf(withField(set, "spec.replicas", to)));
    scaled(from, to, set.metadata.name);
  }
  store.put(deployments, withStatus(deployment, owned, { current, at: timestamp(clock.now()) }));
}

function templateHash(deployment: KubernetesObject): string {
  const template = JSON.stringify(fieldAt(deployment, "spec.template"));
  return createHash("sha256").update(template).digest("hex").slice(0, 10);
}

const withGenerationOf = (set: KubernetesObject): KubernetesObject =>
  withField(set, "metadata.generation", (set.metadata.generation ?? 0) + 1);

function createReplicaSet(api: Api, deployment: KubernetesObject, given: { hash: string; replicas: number }): void {
  const { name, namespace = "" } = deployment.metadata;
  const hashLabel = { "pod-template-hash": given.hash };
  const template = fieldAt(deployment, "spec.template") as JsonObject;
  const labels = { ...objectAt(template, "metadata.labels"), ...hashLabel };
  const selector = fieldAt(deployment, "spec.selector") as JsonObject;
  api.create(
    { resource: replicaSets, namespace },
    {
      metadata: { name: `${name}-${given.hash}`, labels, ownerReferences: [ownedBy(deployment)] },
      spec: {
        replicas: given.replicas,
        selector: withField(selector, "matchLabels", { ...objectAt(selector, "matchLabels"), ...hashLabel }),
        template: withField(template, "metadata.labels", labels),
      },
    },
  );
}

function withStatus(
  deployment: KubernetesObject,
  owned: readonly KubernetesObject[],
  { current, at }: { current: KubernetesObject | undefined; at: string },
): KubernetesObject {
  const sum = (path: string): number => owned.reduce((total, set) => total + (numberAt(set, path) ?? 0), 0);
  const wanted = numberAt(deployment, "spec.replicas") ?? 0;
  const ready = sum("status.readyReplicas");
  const counts = {
    replicas: sum("status.replicas"),
    updatedReplicas: numberAt(current, "status.replicas") ?? 0,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
  };
  const available = ready >= wanted - Math.floor(wanted / 4);
  const complete = ready === wanted;
  const first = setCondition(deployment.status?.["conditions"], at, {
    ...({ type: "Available", status: available ? "True" : "False" } as const),
    reason: available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: `Deployment ${available ? "has" : "does not have"} minimum availability.`,
  });
  const set = `ReplicaSet "${deployment.metadata.name}-${templateHash(deployment)}"`;
  const conditions = setCondition(first, at, {
    ...({ type: "Progressing", status: "True" } as const),
    reason: complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
    message: `${set} ${complete ? "has successfully progressed." : "is progressing."}`,
  });
  const shown = Object.fromEntries(Object.entries(counts).filter(([, value]) => value > 0));
  return {
    ...deployment,
    status: { observedGeneration: deployment.metadata.generation, ...shown, conditions },
  };
}
