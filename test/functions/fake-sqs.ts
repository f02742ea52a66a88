import type { SQSClient } from "@aws-sdk/client-sqs";

export interface Call {
  readonly name: string;
  readonly input: { readonly QueueUrl?: string; readonly Entries: readonly Record<string, unknown>[] };
}

/** An SQSClient with given answers, which records its calls. */
export function fakeSqs(answer: (call: Call, number: number) => unknown): { client: SQSClient; calls: Call[] } {
  const calls: Call[] = [];
  const send = async (command: { readonly input: Call["input"] }) => {
    const call = { name: command.constructor.name, input: command.input };
    const number = calls.push(call);
    await Promise.resolve();
    return answer(call, number);
  };
  return { client: { send } as unknown as SQSClient, calls };
}

/** What SQS says when it takes them all. */
export const accepted = ({ input }: Call) => ({ Successful: input.Entries.map(({ Id }) => ({ Id })), Failed: [] });
