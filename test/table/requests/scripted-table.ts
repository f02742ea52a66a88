import timers from "node:timers/promises";
import type { DynamoClient } from "../../../lib/aws/http/dynamodb-commands";
import type { Table } from "../../../lib/table/reads";

interface Sent {
  readonly action: string;
  readonly input: object;
  readonly signal: AbortSignal | undefined;
}

/** The table "ebb", which answers the requests in turn: an output, or an error. Then it answers nothing but `{}`. */
export function scriptedTable(...answers: readonly object[]): { readonly table: Table; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const left = [...answers];
  const client = {
    config: { region: () => Promise.resolve("xx-1") },
    send(
      command: { readonly operation: string; readonly input: object },
      options: { readonly abortSignal?: AbortSignal } = {},
    ) {
      const action = command.operation;
      sent.push({ action, input: command.input, signal: options.abortSignal });
      const answer = left.shift() ?? {};
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  return { table: { client: client as unknown as DynamoClient, name: "ebb" }, sent };
}

/** An error as the SDK throws it after so many attempts. */
export function sdkError(name: string, { attempts = 1, ...more }: { attempts?: number; code?: string } = {}): Error {
  return Object.assign(new Error("said so"), { name, $metadata: { attempts }, ...more });
}

/** In the tests of this file, waiting takes no time. What was waited for: how long, and the signal that ends it. */
export function withoutWaiting(): { ms: number; signal: AbortSignal | undefined }[] {
  const waits: { ms: number; signal: AbortSignal | undefined }[] = [];
  const real = timers.setTimeout;
  const wait = (ms: number, _value: unknown, options: { signal?: AbortSignal } = {}) => {
    waits.push({ ms, signal: options.signal });
    return options.signal?.aborted ? Promise.reject(sdkError("AbortError")) : Promise.resolve();
  };
  beforeEach(() => {
    waits.length = 0;
    Object.assign(timers, { setTimeout: wait });
  });
  afterEach(() => void Object.assign(timers, { setTimeout: real }));
  return waits;
}
