import middy from "@middy/core";
import type { Context, DynamoDBStreamEvent } from "aws-lambda";
import { planWakes } from "../lib/sync/plan/plan-wakes";
import { changedHpa, type EntryRecord } from "../lib/table/changed-hpa";
import { recordsOf, withinInvocation } from "./invocation";
import { reported } from "./reported";
import { type WakeWiring, wireWake } from "./wiring";

/** When the table's stream reports changed HPA entries: sends one message for each namespace concerned, due at once. */
export const wakeHandler = ({ queue, reporter, now }: WakeWiring) =>
  middy<DynamoDBStreamEvent>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .handler((event, context) =>
      withinInvocation(context, ({ signal }) => {
        const changed = recordsOf<EntryRecord>(event, "stream records").flatMap((record) => changedHpa(record) ?? []);
        const messages = planWakes(changed, now());
        return queue.send(
          messages.map((message) => ({ message, delaySeconds: 0 })),
          signal,
        );
      }),
    );

/** Created by the first invocation and kept for the process. */
let handle: ReturnType<typeof wakeHandler> | undefined;

export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<unknown> {
  handle ??= wakeHandler(wireWake(process.env));
  return handle(event, context);
}
