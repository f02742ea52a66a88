import middy from "@middy/core";
import type { Context, DynamoDBBatchResponse } from "aws-lambda";
import { isMap } from "../lib/k8s/map";
import { Fault } from "../lib/model/fault";
import { refText } from "../lib/model/ports/notified";
import { type HpaChange, notifyOfChanges, notifyOfTime } from "../lib/notify/notify";
import { changedState } from "../lib/table/changed-hpa";
import { recordsOf, reported, scheduledTime, type TickEvent, withinInvocation } from "./invocation";
import { type NotifyWiring, wireNotify } from "./notify-wiring";

interface StreamRecord {
  readonly dynamodb?: {
    readonly SequenceNumber?: string;
    readonly Keys?: unknown;
    readonly OldImage?: unknown;
    readonly NewImage?: unknown;
  };
}

/** lib/aws/call.ts */
const longestCallMs = 10_000;

/** The schedule gives no Records. */
export const notifyHandler = ({ ports, settings, reporter }: NotifyWiring) =>
  middy<unknown>({ timeoutEarlyInMillis: 0 })
    .use(reported(reporter))
    .handler((event, context) =>
      withinInvocation(context, async ({ signal, deadline }): Promise<DynamoDBBatchResponse> => {
        const bounds = { signal, sendUntil: deadline - longestCallMs };
        if (!isMap(event)) throw new Fault("badEntry", `notify event: expected an object, got ${typeof event}`);
        if (!Object.hasOwn(event, "Records")) {
          scheduledTime(event as Partial<TickEvent> as TickEvent);
          await notifyOfTime(ports, settings, bounds);
          return { batchItemFailures: [] };
        }
        const records = recordsOf<StreamRecord>(event, "records");
        const changes = records.flatMap((record): readonly (HpaChange & { readonly number: string | undefined })[] => {
          const changed = changedState(record);
          if (changed === undefined) return [];
          if (!("broken" in changed)) return [{ ...changed, number: record.dynamodb?.SequenceNumber }];
          const { cluster, key } = changed.hpa;
          reporter.warned(`${cluster}: ${key}: skipped, because its state cannot be read: ${changed.broken}`);
          return [];
        });
        const again = await notifyOfChanges(ports, settings, changes, bounds);
        // Lambda gives the first of them and all after it again.
        const first = changes.find(({ hpa }) => again.has(refText(hpa)));
        return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first.number ?? "" }] };
      }),
    );

let handle: ReturnType<typeof notifyHandler> | undefined;

export async function handler(event: unknown, context: Context): Promise<unknown> {
  handle ??= notifyHandler(await wireNotify(process.env));
  return handle(event, context);
}
