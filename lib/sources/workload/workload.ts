import { once } from "../../async/shared";
import type { Pod } from "../../k8s/objects";
import type { MetricSource } from "../../model/ports";
import { asReading } from "../network/as-reading";
import { parseWorkloadQuery } from "./workload-query";

/** How many pods of a workload are not terminated, in the cluster whose HPAs ask. */
export function openWorkloadSource(): MetricSource {
  return {
    keepMs: () => 0,
    open(turn) {
      const lists = once<readonly Pod[]>();
      return {
        read: (query) =>
          asReading("workload", query, turn, async () => {
            const { namespace, podSelector } = parseWorkloadQuery(query);
            const pods = await lists(JSON.stringify([namespace, podSelector]), async () =>
              (await turn.cluster.api()).listPods(namespace, podSelector, turn.signal),
            );
            return [{ value: String(pods.filter(isCounted).length), labels: {} }];
          }),
      };
    },
  };
}

/** As KEDA counts. A pod that cannot be read is a pod: fewer of them could scale down what serves them. */
function isCounted({ status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}
