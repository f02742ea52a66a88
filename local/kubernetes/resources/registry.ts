import { definedResources } from "./custom-resources";
import type { KubernetesObject } from "./object";
import { builtIn, type ResourceKind } from "./kinds";

/** The served kinds: the built-in ones, and those of definitions. */
export interface Registry {
  all(): readonly ResourceKind[];
  find(group: string, version: string, plural: string): ResourceKind | undefined;
  define(definition: KubernetesObject): void;
  forget(definition: KubernetesObject): void;
}

export function createRegistry(): Registry {
  const custom = new Map<string, readonly ResourceKind[]>();
  const all = (): readonly ResourceKind[] => [...builtIn, ...[...custom.values()].flat()];
  return {
    all,
    find: (group, version, plural) =>
      all().find((resource) => resource.plural === plural && resource.group === group && resource.version === version),
    define: (definition) => void custom.set(definition.metadata.name, definedResources(definition)),
    forget: (definition) => void custom.delete(definition.metadata.name),
  };
}
