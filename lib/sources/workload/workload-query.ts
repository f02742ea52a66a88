import { formatSelector, parseSelector, type Selector, selectsEverything } from "../../k8s/selector";
import { errorText } from "../../model/fault";
import type { ObjectReference } from "../../model/ports/cluster";
import type { SourceQuery } from "../../model/ports/sources";
import type { Values } from "../fields/field";
import { readParameters, requiredText } from "../fields/read-fields";
import { type JsonPath, parseJsonPath } from "../http/json-path";
import { badParameter } from "../parameters";
import { workloadFields } from "./fields";

export type WorkloadQuery = PodsQuery | FieldQuery;

export interface PodsQuery {
  readonly namespace: string;
  readonly podSelector: string;
}

export interface FieldQuery {
  readonly object: ObjectReference;
  readonly field: JsonPath;
  /** Undefined: a missing field is an error. */
  readonly absent: number | undefined;
}

/** @throws Fault "badEntry" that names the parameter. */
export function parseWorkloadQuery({ parameters }: SourceQuery): WorkloadQuery {
  const values = readParameters(workloadFields, parameters);
  const namespace = requiredText(workloadFields, values, "namespace");
  const { podSelector, field } = values;
  if ((podSelector === undefined) === (field === undefined))
    throw badParameter("podSelector", `podSelector (to count pods) or field (of an object), and not both`, podSelector);
  return podSelector === undefined ? fieldQuery(values, namespace) : podsQuery(values, namespace, podSelector);
}

type Given = Values<typeof workloadFields>;

function podsQuery(values: Given, namespace: string, podSelector: string): PodsQuery {
  for (const name of ["apiVersion", "resource", "name", "absent"] as const)
    if (values[name] !== undefined) throw badParameter(name, "none beside podSelector", values[name]);
  const selector = selectorOf(podSelector);
  if (selectsEverything(selector)) throw badParameter("podSelector", workloadFields.podSelector.expected, podSelector);
  return { namespace, podSelector: formatSelector(selector) };
}

function selectorOf(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    throw badParameter("podSelector", `${workloadFields.podSelector.expected} (${errorText(error)})`, text);
  }
}

function fieldQuery(values: Given, namespace: string): FieldQuery {
  const [apiVersion, resource, name, field] = (["apiVersion", "resource", "name", "field"] as const).map((one) =>
    requiredText(workloadFields, values, one),
  ) as [string, string, string, string];
  // The author of an entry sees the number, and may have no permission to read the object.
  if (apiVersion === "v1" && resource === "secrets") throw badParameter("resource", "anything but secrets", resource);
  return {
    object: { apiVersion, resource, namespace, name },
    field: parseJsonPath(field, "field"),
    absent: values.absent === "error" ? undefined : values.absent,
  };
}
