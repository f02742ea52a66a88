import type { MetricSource } from "../../../lib/model/ports/sources";
import { readParameters } from "../../../lib/sources/fields/read-fields";
import { madeUpFields } from "./fields";

/** Every partition has a lag of 7. */
export function openMadeUpSource(): MetricSource {
  return {
    keepMs: () => 0,
    open: ({ now }) => ({
      read: ({ metricName, parameters }) => {
        const { partitions = 1 } = readParameters(madeUpFields, parameters);
        const [timestamp, value] = [new Date(now).toISOString(), String(partitions * 7)];
        return Promise.resolve({ items: [{ metricName, timestamp, value }] });
      },
    }),
  };
}
