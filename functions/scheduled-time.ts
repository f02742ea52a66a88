import { Fault } from "../lib/model/fault";
import type { EpochMs } from "../lib/k8s/time";

/** The Input of the schedules in infra/schedule.yml. */
export interface TickEvent {
  readonly time: string;
}

/** The same minute for a late or repeated delivery. */
export function scheduledTime({ time }: TickEvent): EpochMs {
  const at = typeof time === "string" ? Date.parse(time) : NaN;
  if (Number.isNaN(at))
    throw new Fault("badEntry", `event, field time: expected an instant, got ${JSON.stringify(time)}`);
  return at;
}
