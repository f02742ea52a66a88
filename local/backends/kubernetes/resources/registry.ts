import { fieldAt, isJsonObject, type JsonObject, type KubernetesObject, listAt, objectAt, textAt } from "./object";
import { builtIn, customScale, type PrinterColumn, type ResourceKind } from "./kinds";
import { type FieldCause, invalidError } from "./status";

/** One for each served version. */
function definedResources(definition: KubernetesObject): ResourceKind[] {
  const names = definition.spec?.["names"];
  const group = textAt(definition, "spec.group") ?? "";
  return listAt(definition, "spec.versions")
    .filter((version) => version["served"] === true)
    .map((version) => {
      const scale = fieldAt(version, "subresources.scale");
      const schema = fieldAt(version, "schema.openAPIV3Schema");
      return {
        group,
        version: String(version["name"]),
        kind: textAt(names, "kind") ?? "",
        plural: textAt(names, "plural") ?? "",
        singular: textAt(names, "singular") ?? (textAt(names, "kind") ?? "").toLowerCase(),
        shortNames: textsAt(names, "shortNames"),
        categories: textsAt(names, "categories"),
        namespaced: textAt(definition, "spec.scope") !== "Cluster",
        hasStatus: fieldAt(version, "subresources.status") !== undefined,
        ...(isJsonObject(scale) && { scale: customScale(scale) }),
        custom: {
          printerColumns: printerColumns(version),
          listKind: textAt(names, "listKind") ?? `${textAt(names, "kind")}List`,
          ...(isJsonObject(schema) && { schema }),
        },
      };
    });
}

const textsAt = (object: unknown, path: string): string[] => {
  const value = fieldAt(object, path);
  return Array.isArray(value) ? value.map(String) : [];
};

function printerColumns(version: JsonObject): PrinterColumn[] {
  return listAt(version, "additionalPrinterColumns").map((column) => ({
    name: String(column["name"]),
    type: String(column["type"]),
    jsonPath: String(column["jsonPath"]),
    priority: Number(column["priority"] ?? 0),
  }));
}

/** With checked names, and established at once. */
export function establish(definition: KubernetesObject, at: string): KubernetesObject {
  const errors = definitionErrors(definition);
  const subject = { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" };
  if (errors.length > 0) throw invalidError(subject, definition.metadata.name, errors);
  const condition = (type: string, reason: string, message: string) => ({
    ...{ type, status: "True", lastTransitionTime: at, reason, message },
  });
  const storage = listAt(definition, "spec.versions").filter((version) => version["storage"] === true);
  const names = { listKind: `${textAt(definition, "spec.names.kind")}List`, ...objectAt(definition, "spec.names") };
  const named = { singular: (textAt(definition, "spec.names.kind") ?? "").toLowerCase(), ...names };
  return {
    ...definition,
    spec: { conversion: { strategy: "None" }, ...definition.spec, names: named },
    status: {
      conditions: [
        condition("NamesAccepted", "NoConflicts", "no conflicts found"),
        condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
      ],
      acceptedNames: named,
      storedVersions: storage.map((version) => version["name"]),
    },
  };
}

function definitionErrors(definition: KubernetesObject): FieldCause[] {
  const group = textAt(definition, "spec.group") ?? "";
  const plural = textAt(definition, "spec.names.plural") ?? "";
  const required = ["spec.group", "spec.names.plural", "spec.names.kind", "spec.scope"]
    .filter((field) => (textAt(definition, field) ?? "") === "")
    .map((field): FieldCause => ({ field, type: "Required" }));
  if (required.length > 0) return required;
  if (definition.metadata.name === `${plural}.${group}`) return [];
  const detail = 'must be spec.names.plural+"."+spec.group';
  return [{ field: "metadata.name", type: "Invalid", value: definition.metadata.name, detail }];
}

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
