import type { CrossVersionObjectReference } from "../../lib/api/hpa";
import { failure } from "../failure";

interface ScalableKind {
  readonly words: RegExp;
  readonly apiVersion: string;
  readonly kind: string;
}

/** Kubernetes' own kinds that have a scale, by the words that kubectl knows them by. */
const scalableKinds: readonly ScalableKind[] = [
  { words: /^(deployments?|deploy)(\.(v1\.)?apps)?$/, apiVersion: "apps/v1", kind: "Deployment" },
  { words: /^(statefulsets?|sts)(\.(v1\.)?apps)?$/, apiVersion: "apps/v1", kind: "StatefulSet" },
  { words: /^(replicasets?|rs)(\.(v1\.)?apps)?$/, apiVersion: "apps/v1", kind: "ReplicaSet" },
  { words: /^(replicationcontrollers?|rc)(\.v1\.)?$/, apiVersion: "v1", kind: "ReplicationController" },
];

/**
 * What is to be scaled: TYPE NAME or TYPE/NAME. A kind of a custom resource is told with its apiVersion, as in `Rollout web
 * --api-version argoproj.io/v1alpha1`: the table does not know what a cluster serves.
 *
 * @throws Failure
 */
export function scalableOf(args: readonly string[], apiVersion: string | undefined): CrossVersionObjectReference {
  const [type = "", name = "", ...more] = args.length === 1 ? (args[0]?.split("/") ?? []) : args;
  if (type === "" || name === "" || more.length > 0 || name.includes("/")) {
    throw failure(`expected TYPE NAME or TYPE/NAME, as in "deployment web", got "${args.join(" ")}"`, 2);
  }
  if (apiVersion !== undefined) return { apiVersion, kind: customKind(type, apiVersion), name };
  const known = scalableKinds.find(({ words }) => words.test(type.toLowerCase()));
  if (known !== undefined) return { apiVersion: known.apiVersion, kind: known.kind, name };
  const kinds = scalableKinds.map(({ kind }) => kind.toLowerCase()).join(", ");
  const hint = "or a custom kind with its version, as in Rollout --api-version argoproj.io/v1alpha1";
  throw failure(`"${type}" is not known to have a scale: name one of ${kinds}, ${hint}`, 2);
}

function customKind(type: string, apiVersion: string): string {
  if (!/^([a-z0-9.-]+\/)?v[a-z0-9]+$/.test(apiVersion)) {
    throw failure(`--api-version: expected a group and version such as apps/v1, got "${apiVersion}"`, 2);
  }
  if (!/^[A-Z][A-Za-z0-9]*$/.test(type)) {
    throw failure(`with --api-version the type is the kind as a document has it, such as Rollout, got "${type}"`, 2);
  }
  return type;
}
