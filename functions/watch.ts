import { randomUUID } from "node:crypto";
import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { sleepUntil } from "../lib/async/within-time";
import { runPoller } from "../lib/poller/run-poller";
import { withinInvocation, scheduledTime, type TickEvent, reported } from "./invocation";
import { type PollerWiring, wirePoller } from "./wiring";

/** Ends at once without HPAs at zero. */
export const watchHandler = ({ ports, reporter, now, budget, prices, role }: PollerWiring) =>
  middy<TickEvent>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .handler((event, context) => {
      const minute = scheduledTime(event);
      return withinInvocation(context, async ({ deadline, signal }) => {
        const poller = { id: randomUUID(), minute, ...(role && { role }) };
        return await runPoller(ports, poller, { now, sleepUntil, deadline, signal, budget, prices });
      });
    });

let handle: ReturnType<typeof watchHandler> | undefined;

export async function handler(event: TickEvent, context: Context): Promise<unknown> {
  handle ??= watchHandler(wirePoller(process.env));
  return handle(event, context);
}
