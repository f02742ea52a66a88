import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { hpasOnQueue } from "../lib/sync/plan/hpas-on-queue";
import { planWakes, type WokenHpa } from "../lib/sync/plan/plan-wakes";
import { openSpacedWakes } from "../lib/sync/plan/spaced-wakes";
import { changedHpa } from "../lib/table/changed-hpa";
import type { WakeRequest } from "../lib/model/wake-request";
import { withinInvocation } from "./invocation";
import { reported } from "./reported";
import { readWakeEvent } from "./wake-events";
import { type WakeWiring, wireWake } from "./wiring";

/**
 * When the table's stream reports changed HPA entries, or somebody requests it: sends one message for each namespace
 * concerned, due at once.
 */
export const wakeHandler = ({ queue, entries, reporter, now }: WakeWiring) => {
  const spaced = openSpacedWakes();
  return middy<unknown>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .handler((event, context) =>
      withinInvocation(context, async ({ signal }) => {
        const { records, requests } = readWakeEvent(event);
        const changed = records.flatMap((record) => changedHpa(record) ?? []);
        const requested = spaced.plan(await requestedHpas(requests, entries, signal), now());
        const messages = [
          ...planWakes([...changed, ...requested.now], now()).map((message) => ({ message, delaySeconds: 0 })),
          ...planWakes(requested.later, now() + 1_000).map((message) => ({ message, delaySeconds: 1 })),
        ];
        try {
          await queue.send(messages, signal);
        } catch (error) {
          spaced.forget(requested);
          throw error;
        }
      }),
    );
};

async function requestedHpas(
  requests: readonly WakeRequest[],
  entries: WakeWiring["entries"],
  signal: AbortSignal,
): Promise<readonly WokenHpa[]> {
  const found = requests.map(async (request): Promise<readonly WokenHpa[]> => {
    if ("name" in request) return [request];
    const { queue, ...scope } = request;
    const [hpas, sources] = await Promise.all([
      entries.list("HorizontalPodAutoscaler", scope, signal),
      entries.list("MetricSource", scope, signal),
    ]);
    return hpasOnQueue(queue, { hpas, sources });
  });
  return (await Promise.all(found)).flat();
}

/** Created by the first invocation and kept for the process. */
let handle: ReturnType<typeof wakeHandler> | undefined;

export async function handler(event: unknown, context: Context): Promise<unknown> {
  handle ??= wakeHandler(wireWake(process.env));
  return handle(event, context);
}
