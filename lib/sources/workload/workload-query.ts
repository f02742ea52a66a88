import { formatSelector, parseSelector, type Selector, selectsEverything } from "../../k8s/selector";
import { errorText } from "../../model/fault";
import type { SourceQuery } from "../../model/ports";
import { readParameters, requiredText } from "../fields/read-fields";
import { badParameter } from "../parameters";
import { workloadFields } from "./fields";

export interface WorkloadQuery {
  readonly namespace: string;
  /** As the API server takes it. */
  readonly podSelector: string;
}

/** Throws a Fault "badEntry" that names the parameter. */
export function parseWorkloadQuery({ parameters }: SourceQuery): WorkloadQuery {
  const values = readParameters(workloadFields, parameters);
  const namespace = requiredText(workloadFields, values, "namespace");
  const text = requiredText(workloadFields, values, "podSelector");
  const selector = selectorOf(text);
  if (selectsEverything(selector)) throw badParameter("podSelector", workloadFields.podSelector.expected, text);
  return { namespace, podSelector: formatSelector(selector) };
}

function selectorOf(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    throw badParameter("podSelector", `${workloadFields.podSelector.expected} (${errorText(error)})`, text);
  }
}
