import { kinds } from "../../lib/model/kinds";
import { failure } from "../failure";

/** What `get`, `describe` and `delete` know, by the name that completion offers. */
export type ResourceName = "clusters" | "hpa" | "sources" | "events";

export interface Resource {
  readonly name: ResourceName;
  /** An HPA in the form of autoscaling/v1, asked for by its long name: to a short one kubectl gives no version either. */
  readonly v1?: true;
}

interface Names {
  /** As in `<singular>/<name>`. */
  readonly singular: string;
  /** As in `<plural> "<name>" not found`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

export const resourceNames: Readonly<Record<ResourceName, Names>> = {
  clusters: kinds.Cluster,
  hpa: kinds.HorizontalPodAutoscaler,
  sources: kinds.MetricSource,
  events: { singular: "event", plural: "events", namespaced: true },
};

const words: Readonly<Record<ResourceName, RegExp>> = {
  clusters: /^clusters?(\.(v1\.)?ebb\.dev)?$/,
  hpa: /^(hpas?|horizontalpodautoscalers?)(\.((v\w+)\.)?(autoscaling)?)?$/,
  sources: /^(metric)?sources?(\.(v1\.)?ebb\.dev)?$/,
  events: /^(ev|events?)$/,
};

/** The resource that a word on the command line means, kubectl's short and long forms among them. @throws Failure */
export function resourceOf(word: string): Resource {
  const name = (Object.keys(words) as ResourceName[]).find((known) => words[known].test(word));
  if (name === undefined) {
    const known = Object.keys(words).join(", ");
    throw failure(`the server doesn't have a resource type "${word}"; there are ${known}`, 2);
  }
  return /^horizontalpodautoscalers?\.v1\.autoscaling$/.test(word) ? { name: "hpa", v1: true } : { name };
}
