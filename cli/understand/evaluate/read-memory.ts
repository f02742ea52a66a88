import { formatInstant, parseInstant } from "../../../lib/k8s/time";
import type { MetricMemory } from "../../../lib/model/metric/metric-rules";
import type { MemoryInput } from "../../../lib/model/schema/situation";
import type { Memory } from "../../../lib/model/situation";

/** `[{readings?: {empty, slots, slot}, failing?: {since, fallback?}}]`: one for each metric of the spec. */
export function readMemory(given: MemoryInput | undefined): Memory | undefined {
  return given?.map(({ readings, failing }): MetricMemory => {
    return {
      ...(readings && { readings: { ...readings, slot: parseInstant(readings.slot) } }),
      ...(failing && { failing: { ...failing, since: parseInstant(failing.since) } }),
    };
  });
}

/** The inverse of readMemory: the next decision continues exactly. */
export function memoryJson(memory: Memory | undefined): object | undefined {
  return memory?.map(({ readings, failing }) => ({
    ...(readings && { readings: { ...readings, slot: formatInstant(readings.slot) } }),
    ...(failing && { failing: { ...failing, since: formatInstant(failing.since) } }),
  }));
}
