import { isMap } from "../../../../lib/k8s/map";
import { settingText } from "./left-over";

export interface SourceNames {
  readonly triggers: readonly string[];
  readonly formula: string;
}

/**
 * `namespace.object.label`: neither a namespace nor a label has a dot, so the names of two objects never meet. A label
 * is the trigger's name or type, and its index if another trigger has the same.
 */
export function sourceNames(
  place: { readonly namespace: string; readonly name: string },
  triggers: readonly unknown[],
): SourceNames {
  const bases = triggers.map((trigger) => {
    const { name, type } = isMap(trigger) ? trigger : {};
    return (settingText(name) || settingText(type) || "").replace(/[^\w-]/g, "-");
  });
  const taken = new Set(bases);
  const free = (base: string, index: number): string => {
    const label = `${base}-${index}`;
    return taken.has(label) ? free(label, index) : label;
  };
  const labels = bases.map((base, index) => {
    const label = bases.filter((other) => other === base).length > 1 ? free(base, index) : base;
    taken.add(label);
    return label;
  });
  const named = (label: string) => `${place.namespace}.${place.name}.${label}`;
  return {
    triggers: labels.map(named),
    formula: named(taken.has("formula") ? free("formula", 0) : "formula"),
  };
}
