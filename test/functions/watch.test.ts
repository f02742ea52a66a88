import type { Context } from "aws-lambda";
import { watchHandler } from "../../functions/watch";
import type { PollerWiring } from "../../functions/wiring";
import { memoryStore } from "../fakes/memory-store";
import { noLimit } from "../time/no-limit";

const context = { awsRequestId: "r", getRemainingTimeInMillis: () => 150_000 } as Context;

function wiring(failures: unknown[] = []): PollerWiring {
  const store = memoryStore();
  const reporter = {
    started: () => undefined,
    flush: () => undefined,
    failed: () => undefined,
    recovered: () => undefined,
    invocationFailed: (error: unknown) => void failures.push(error),
  };
  const ports = {
    ...{ store, sources: {}, priceOf: () => 0, reporter },
    queue: { send: () => Promise.resolve() },
    clusters: { connect: () => Promise.reject(new Error("no cluster here")) },
  };
  return {
    ports,
    reporter: reporter as unknown as PollerWiring["reporter"],
    now: () => Date.now(),
    ...{ budget: 20, prices: { perSecond: 0, tableRead: 0 } },
  };
}

test("with nothing at zero it ends at once, without a lease", async () => {
  const wired = wiring();
  const event = { time: "2026-11-10T12:00:00Z" };
  expect(await watchHandler(wired)(event, context)).toEqual({ outcome: "nothing", polls: 0, reads: 0, woken: 0 });
  expect(await wired.ports.store.pollerLease(noLimit())).toBeUndefined();
});

test("an event without a minute is refused, naming the field", async () => {
  const failures: unknown[] = [];
  const asked = watchHandler(wiring(failures))({ time: "soon" }, context);
  await expect(asked).rejects.toThrow('event, field time: expected an instant, got "soon"');
  expect(failures).toHaveLength(1);
});
