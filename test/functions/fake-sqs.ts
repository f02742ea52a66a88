import type { SqsClient } from "../../lib/aws/http/sqs-commands";

export interface Call {
  readonly name: string;
  readonly input: { readonly QueueUrl?: string; readonly Entries: readonly Record<string, unknown>[] };
}

/** A client with given answers, which records its calls. */
export function fakeSqs(answer: (call: Call, number: number) => unknown): { client: SqsClient; calls: Call[] } {
  const calls: Call[] = [];
  const send = async (command: { readonly operation: string; readonly input: Call["input"] }) => {
    const call = { name: command.operation, input: command.input };
    const number = calls.push(call);
    await Promise.resolve();
    return answer(call, number);
  };
  return { client: { send } as unknown as SqsClient, calls };
}

/** What SQS says when it takes them all. */
export const accepted = ({ input }: Call) => ({ Successful: input.Entries.map(({ Id }) => ({ Id })), Failed: [] });
