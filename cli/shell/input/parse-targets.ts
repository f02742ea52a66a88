import { escapeLine } from "../../../lib/k8s/escape-terminal";
import type { ResourceName, ResourceType } from "../../../lib/read/found";
import { closest } from "../../../lib/model/check/closest";
import { failure } from "../failure";
import { groupIn } from "../../../lib/k8s/objects";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";

export interface ResourceQuery {
  readonly resource: ResourceType;
  readonly names?: readonly string[];
  /** From a file; absent: the command line's. */
  readonly place?: { readonly cluster: string; readonly namespace?: string };
}

/**
 * TYPE[,TYPE…] [NAME…], or TYPE/NAME….
 *
 * @throws Failure, in kubectl's words.
 */
export function parseTargets(args: readonly string[], verb: string): readonly ResourceQuery[] {
  const [first, ...rest] = args;
  if (first === undefined) {
    const types = "clusters, hpa, sources or events";
    throw failure(`You must specify the type of resource to ${verb}: ${types}. See 'ebb ${verb} --help'.`);
  }
  const pairs = args.filter(isPair).length;
  if (pairs === args.length) return pairTargets(args);
  if (pairs > 0) {
    throw failure(
      "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form " +
        `(e.g. 'ebb ${verb} resource/<resource_name>' instead of 'ebb ${verb} resource resource/<resource_name>'`,
    );
  }
  const types = first.split(",").filter((type) => type !== "");
  return types.map((type) => ({ resource: resourceOf(type), ...(rest.length > 0 && { names: rest }) }));
}

/** A malformed sort key may have slashes, and is then the HPA's name. */
function isPair(arg: string): boolean {
  return arg.includes("/") && !arg.startsWith("HPA#");
}

/** Neighbours of one type share a table. */
function pairTargets(args: readonly string[]): readonly ResourceQuery[] {
  const targets: { resource: ResourceType; names: string[] }[] = [];
  for (const arg of args) {
    const [type = "", name = "", ...more] = arg.split("/");
    if (name === "" || more.length > 0)
      throw failure(`arguments in resource/name form must have a single resource and name, got "${escapeLine(arg)}"`);
    const resource = resourceOf(type);
    const last = targets.at(-1);
    if (last?.resource.name === resource.name && last.resource.v1 === resource.v1) last.names.push(name);
    else targets.push({ resource, names: [name] });
  }
  return targets;
}

const words: Readonly<Record<ResourceName, RegExp>> = {
  clusters: /^clusters?(\.(v1\.)?ebb\.dev)?$/,
  hpa: /^(hpas?|horizontalpodautoscalers?)(\.((v\w+)\.)?(autoscaling)?)?$/,
  sources: /^(metric)?sources?(\.(v1\.)?ebb\.dev)?$/,
  events: /^(ev|events?)$/,
};

const longWords = ["cluster", "horizontalpodautoscalers", "source", "metricsources"];

/** In kubectl's short and long forms; only the longest has a version. @throws Failure */
export function resourceOf(word: string): ResourceType {
  const name = (Object.keys(words) as ResourceName[]).find((known) => words[known].test(word));
  if (name === undefined) {
    const known = Object.keys(words);
    const meant = closest(word, [...known, ...longWords]);
    const hint = meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`;
    throw failure(`the server doesn't have a resource type "${escapeLine(word)}"; ${hint}`);
  }
  return /^horizontalpodautoscalers?\.v1\.autoscaling$/.test(word) ? { name: "hpa", v1: true } : { name };
}

/**
 * For `kubectl scale`: "deployment/orders", "Rollout.argoproj.io/orders". A custom kind's singular may be any word, so
 * kubectl must find it by its kind. Like upstream, ignores the reference's version.
 */
export function kubectlTarget({ spec }: Pick<HorizontalPodAutoscaler, "spec">): string {
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  const group = groupIn(apiVersion);
  return group === "" || group === "apps" ? `${kind.toLowerCase()}/${name}` : `${kind}.${group}/${name}`;
}
