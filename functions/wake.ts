import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { planWakes, type WokenHpa } from "../lib/scheduler/plan-wakes";
import { openSpacedWakes } from "./spaced-wakes";
import { changedHpa } from "../lib/table/changed-hpa";
import { findWokenHpas } from "../lib/sync/wake/find-hpas";
import { wantedBy } from "../lib/sync/wake/queues-of";
import { withinInvocation } from "./invocation";
import { reported } from "./reported";
import { readWakeEvent } from "./wake-events";
import { type WakeWiring, wireWake } from "./wiring";

/** On changed HPA entries and on requests: one message for each namespace, due at once. */
export const wakeHandler = ({ queue, reads, reporter, now }: WakeWiring) => {
  const spaced = openSpacedWakes();

  async function sendRequested(hpas: readonly WokenHpa[], signal: AbortSignal): Promise<void> {
    const requested = spaced.plan(hpas, now());
    const messages = [
      ...planWakes(requested.now, now()).map((message) => ({ message, delaySeconds: 0 })),
      ...planWakes(requested.later, now() + 1_000).map((message) => ({ message, delaySeconds: 1 })),
    ];
    try {
      await queue.send(messages, signal);
    } catch (error) {
      spaced.forget(requested);
      throw error;
    }
  }

  return middy<unknown>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .handler((event, context) =>
      withinInvocation(context, async ({ deadline, signal }) => {
        const { records, requests } = readWakeEvent(event);
        const wanted = wantedBy(requests);
        const changed = planWakes(
          records.flatMap((record) => changedHpa(record) ?? []),
          now(),
        );
        await queue.send(
          changed.map((message) => ({ message, delaySeconds: 0 })),
          signal,
        );
        await sendRequested(wanted.hpas, signal);
        for await (const found of findWokenHpas({ reads, reporter }, wanted, { now, deadline, signal }))
          await sendRequested(found, signal);
      }),
    );
};

let handle: ReturnType<typeof wakeHandler> | undefined;

export async function handler(event: unknown, context: Context): Promise<unknown> {
  handle ??= wakeHandler(wireWake(process.env));
  return handle(event, context);
}
