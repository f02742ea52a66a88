import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { tick } from "../lib/scheduler/tick";
import { withinInvocation, scheduledTime, type TickEvent, reported } from "./invocation";
import { type TickWiring, wireTick } from "./wiring";

export const tickHandler = ({ ports, reporter, now }: TickWiring) =>
  middy<TickEvent>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .handler(async (event, context) => {
      const scheduledAt = scheduledTime(event);
      return withinInvocation(context, ({ signal }) => tick(ports, scheduledAt, { now, signal }));
    });

let handle: ReturnType<typeof tickHandler> | undefined;

export async function handler(event: TickEvent, context: Context): Promise<unknown> {
  handle ??= tickHandler(wireTick(process.env));
  return handle(event, context);
}
