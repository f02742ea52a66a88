import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { planWakes, type WokenHpa } from "../lib/scheduler/plan-wakes";
import { changedHpa } from "../lib/table/changed-hpa";
import { findWokenHpas } from "../lib/sync/wake/find-hpas";
import { wantedBy } from "../lib/sync/wake/queues-of";
import { withinInvocation, reported } from "./invocation";
import { readWakeEvent } from "./wake-events";
import { type WakeWiring, wireWake } from "./wiring";
import { BoundedMap } from "../lib/async/bounded-map";
import type { EpochMs } from "../lib/k8s/time";

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

/** Requests may arrive as fast as messages do. */
const spacingMs = 1_000;

const mostKnown = 20_000;

/** An HPA wakes later if its last wake is less than a second old. */
interface SpacedWakes {
  readonly now: readonly WokenHpa[];
  readonly later: readonly WokenHpa[];
}

/**
 * Many requests for one HPA become two wakes: one at once, and one a second later, which sees everything in between.
 * ```
 * request   1 2 3 4         5
 * wake      1 |    2–4 |    5
 *           0 s        1 s
 * ```
 */
function openSpacedWakes() {
  const lastWakes = new BoundedMap<string, EpochMs>(mostKnown);
  return {
    plan(hpas: readonly WokenHpa[], at: EpochMs): SpacedWakes {
      const [now, later]: [WokenHpa[], WokenHpa[]] = [[], []];
      for (const hpa of hpas) {
        const last = lastWakes.get(idOf(hpa)) ?? -Infinity;
        const isPending = last > at && last <= at + spacingMs;
        if (isPending) continue;
        const isDue = at - last >= spacingMs || last > at;
        (isDue ? now : later).push(hpa);
        lastWakes.set(idOf(hpa), isDue ? at : at + spacingMs);
      }
      return { now, later };
    },
    /** For wakes that were not sent. */
    forget({ now, later }: SpacedWakes): void {
      for (const hpa of [...now, ...later]) lastWakes.delete(idOf(hpa));
    },
  };
}

function idOf({ cluster, namespace, name }: WokenHpa): string {
  return JSON.stringify([cluster, namespace, name]);
}
