import { once } from "../../async/shared";
import { isMap } from "../../k8s/map";
import type { Pod } from "../../k8s/objects";
import { isFault, rephrased, errorText } from "../../model/fault";
import type { ObjectReference } from "../../model/ports/cluster";
import type { MetricSource, SourceQuery } from "../../model/ports/sources";
import { numbersAt, type JsonPath, parseJsonPath } from "../http/json-path";
import { badAnswer, asReading, type FoundValue } from "../network/as-reading";
import { quantityOf, badParameter } from "../parameters";
import { formatSelector, parseSelector, type Selector, selectsEverything } from "../../k8s/selector";
import type { Values } from "../fields/field";
import { readParameters, requiredText } from "../fields/read-fields";
import { workloadFields } from "./fields";

type WorkloadQuery = PodsQuery | FieldQuery;

interface PodsQuery {
  readonly namespace: string;
  readonly podSelector: string;
}

interface FieldQuery {
  readonly object: ObjectReference;
  readonly field: JsonPath;
  readonly absent: number | undefined;
}

type Given = Values<typeof workloadFields>;

export function openWorkloadSource(): MetricSource {
  return {
    keepMs: () => 0,
    open(context) {
      const lists = once<readonly Pod[]>();
      const objects = once<object>();
      return {
        read: (query) =>
          asReading("workload", query, context, async () => {
            const parsed = parseWorkloadQuery(query);
            if ("object" in parsed) {
              const { object } = parsed;
              const get = async () => (await context.cluster.api()).getObject(object, context.signal);
              return numbersOf(parsed, await objects(textOf(object), get));
            }
            const { namespace, podSelector } = parsed;
            const pods = await lists(JSON.stringify([namespace, podSelector]), async () =>
              (await context.cluster.api()).listPods(namespace, podSelector, context.signal),
            );
            return [{ value: String(pods.filter(isCounted).length), labels: {} }];
          }),
      };
    },
  };
}

/** Counts like KEDA. An unreadable pod counts: too few could scale down what serves it. */
function isCounted({ status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

function numbersOf({ object, field, absent }: FieldQuery, document: object): readonly FoundValue[] {
  try {
    const found = numbersAt(field, document, typeOf);
    if (found.length > 0) return found;
  } catch (error) {
    throw isFault(error) ? rephrased(error, `${textOf(object)}: ${error.message}`) : error;
  }
  if (absent !== undefined) return [{ value: quantityOf(absent), labels: {} }];
  throw badAnswer(`${textOf(object)}: the object has nothing at ${field.text}; set absent if that means a number`);
}

/** Shows no value: the entry's author may have no permission to read the object. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : isMap(value) ? "an object" : `a ${typeof value}`;
}

function textOf({ apiVersion, resource, namespace, name }: ObjectReference): string {
  return `${apiVersion} ${resource} ${namespace}/${name}`;
}

/** @throws Fault "badEntry". */
export function parseWorkloadQuery({ parameters }: SourceQuery): WorkloadQuery {
  const values = readParameters(workloadFields, parameters);
  const namespace = requiredText(workloadFields, values, "namespace");
  const { podSelector, field } = values;
  if ((podSelector === undefined) === (field === undefined))
    throw badParameter("podSelector", `podSelector (to count pods) or field (of an object), and not both`, podSelector);
  return podSelector === undefined ? fieldQuery(values, namespace) : podsQuery(values, namespace, podSelector);
}

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
