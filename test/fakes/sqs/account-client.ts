import type { SqsClient } from "../../../lib/aws/http/sqs-commands";
import { actions } from "../../../local/backends/sqs/actions";
import type { QueueAccount } from "../../../local/backends/sqs/account";

/** ebb's client of an account in this process, without a socket between them: for stories in virtual time. */
export function accountClient(account: QueueAccount): SqsClient {
  const { signal } = new AbortController();
  const none = () => Promise.reject(new Error("nothing is sent"));
  const answer = (operation: string, input: object): unknown => {
    const act = actions[operation];
    if (act === undefined) throw new Error(`the local SQS has no ${operation}`);
    return act({ account, endpoint: "http://sqs.test", input: { ...input }, signal });
  };
  return {
    config: {
      region: () => Promise.resolve(account.region),
      endpoint: () => Promise.resolve(new URL("http://sqs.test")),
      credentials: none,
      post: none,
    },
    send: <Output>({ operation, input }: { readonly operation: string; readonly input: object }) =>
      new Promise<Output>((resolve) => resolve(answer(operation, input) as Output)),
    destroy: () => undefined,
  };
}
