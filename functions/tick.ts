import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { Fault } from "../lib/model/fault";
import type { EpochMs } from "../lib/k8s/time";
import { tick } from "../lib/sync/plan/tick";
import { withinInvocation } from "./invocation";
import { reported } from "./reported";
import { type TickWiring, wireTick } from "./wiring";

/** The Input of the schedule in infra/schedule.yml. */
export interface TickEvent {
  readonly time: string;
}

/** Every minute: sends one message for each shard and each slot of the minute after the scheduled one. */
export const tickHandler = ({ ports, reporter, now }: TickWiring) =>
  middy<TickEvent>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .handler(async (event, context) => {
      const scheduledAt = scheduledTime(event);
      return withinInvocation(context, ({ signal }) => tick(ports, scheduledAt, { now, signal }));
    });

/** The scheduled minute, which is the same for a late or repeated delivery. */
function scheduledTime({ time }: TickEvent): EpochMs {
  const at = typeof time === "string" ? Date.parse(time) : NaN;
  if (Number.isNaN(at))
    throw new Fault("badEntry", `event, field time: expected an instant, got ${JSON.stringify(time)}`);
  return at;
}

/** Created by the first invocation and kept for the process. */
let handle: ReturnType<typeof tickHandler> | undefined;

export async function handler(event: TickEvent, context: Context): Promise<unknown> {
  handle ??= tickHandler(wireTick(process.env));
  return handle(event, context);
}
