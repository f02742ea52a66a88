import { matches, parseSelector, type Selector, SelectorError } from "../../lib/k8s/selector";
import { failure, serverFailure } from "../failure";
import type { Session } from "../session";
import { findClusters } from "./find-clusters";
import { findEvents } from "./find-events";
import { findHpas } from "./find-hpas";
import { findSources } from "./find-sources";
import type { Found } from "./found";
import type { Target } from "./parse-targets";
import { type ResourceName, resourceNames } from "./resource";
import { type Scope, scopeOf } from "./scope";

/** How a verb narrows down what it is about, besides names. */
export interface Narrowing {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
}

export interface Finding {
  readonly scope: Scope;
  /** In the order in which the names were given, else in that of the table. */
  readonly found: readonly Found[];
  /** Names that nothing has. */
  readonly missing: readonly string[];
}

const finders: Readonly<Record<ResourceName, (session: Session, scope: Scope) => Promise<readonly Found[]>>> = {
  clusters: findClusters,
  hpa: findHpas,
  sources: findSources,
  events: findEvents,
};

/** The objects that a target means, as they stand now. @throws Failure, in kubectl's words, when they cannot be told. */
export async function find(session: Session, target: Target, narrowing: Narrowing): Promise<Finding> {
  const { resource, names } = target;
  const { allNamespaces = false, selector } = narrowing;
  if (names !== undefined && selector !== undefined)
    throw failure("name cannot be provided when a selector is specified", 2);
  const selected = selector === undefined ? undefined : parsedSelector(selector, resource.name);
  const scope = await scopeOf(session, { resource, allNamespaces, ...(names !== undefined && { names }) });
  const all = await finders[resource.name](session, scope);
  if (names !== undefined) return { scope, ...byName(all, names) };
  const found = selected === undefined ? all : all.filter(({ labels }) => matches(selected, labels));
  return { scope, found, missing: [] };
}

/** What is told of names that nothing has, each on its line. */
export function notFoundText({ scope, missing }: Finding): readonly string[] {
  const { plural } = resourceNames[scope.resource.name];
  return missing.map((name) => serverFailure("NotFound", `${plural} "${name}" not found`).message);
}

function byName(all: readonly Found[], names: readonly string[]): Pick<Finding, "found" | "missing"> {
  const named = names.map((name) => all.filter((one) => one.name === name));
  return { found: named.flat(), missing: names.filter((_, index) => named[index]?.length === 0) };
}

/** @throws Failure, in the API server's words, for what is no selector. */
export function parsedSelector(text: string, name: ResourceName): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const { plural } = resourceNames[name];
    throw serverFailure(
      "BadRequest",
      `Unable to find "${plural}" that match label selector "${text}": ${error.message}`,
    );
  }
}
