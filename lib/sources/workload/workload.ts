import { once } from "../../async/shared";
import { isMap } from "../../k8s/map";
import type { Pod } from "../../k8s/objects";
import { Fault, isFault, rephrased } from "../../model/fault";
import type { ObjectReference } from "../../model/ports/cluster";
import type { MetricSource } from "../../model/ports/sources";
import { numbersAt } from "../http/json-path";
import { asReading, type FoundValue } from "../network/as-reading";
import { quantityOf } from "../quantity-of";
import { type FieldQuery, parseWorkloadQuery } from "./workload-query";

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
  throw new Fault(
    "badAnswer",
    `${textOf(object)}: the object has nothing at ${field.text}; set absent if that means a number`,
  );
}

/** Shows no value: the entry's author may have no permission to read the object. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : isMap(value) ? "an object" : `a ${typeof value}`;
}

/** "batch/v1 jobs shop/backfill" */
function textOf({ apiVersion, resource, namespace, name }: ObjectReference): string {
  return `${apiVersion} ${resource} ${namespace}/${name}`;
}
