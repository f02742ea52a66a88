import { ConditionalCheckFailedException, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { MetMishap, MishapSwitch } from "../fakes/wire";

const writes = ["PutItemCommand", "DeleteItemCommand", "BatchWriteItemCommand"];

/** Applies the mishaps to a client's writes below the SDK's retries, so it sees each attempt. */
export function addMishaps(client: DynamoDBClient, mishaps: MishapSwitch): void {
  let losesNextLook = false;
  client.middlewareStack.add(
    (next, context) => {
      const isWrite = writes.includes(String(context.commandName));
      let attempts = 0;
      let mishap: MetMishap | undefined;
      let losesLook = false;
      return async (args) => {
        attempts += 1;
        if (attempts === 1 && isWrite) {
          mishap = mishaps.take();
          losesNextLook = mishap?.kind === "unanswered";
        }
        if (attempts === 1 && context.commandName === "GetItemCommand") {
          losesLook = losesNextLook;
          losesNextLook = false;
        }
        if (losesLook) throw lost();
        if (mishap === undefined) return await next(args);
        if (mishap.kind === "answerLost" && attempts > 1) return await next(args);
        if (attempts > 1) throw lost();
        if (mishap.kind === "late") mishap.hold(() => refusable(next(args)));
        if (mishap.kind === "answerLost" || mishap.kind === "unanswered") await refusable(next(args));
        throw lost();
      };
    },
    { step: "deserialize", name: "mishaps", priority: "low" },
  );
}

/** The server's refusal is an answer, too. */
async function refusable(answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

function lost(): Error {
  return Object.assign(new Error("the answer was lost"), { name: "TimeoutError" });
}

interface Losses {
  during<T>(call: () => Promise<T>): Promise<T>;
  /** How many requests of the command were sent, retries included. */
  asked(): number;
}

/** Counts the requests of a command. */
export function countRequests(client: DynamoDBClient, command: string): Losses {
  return loseAnswers(client, command, 0);
}

/** Drops the first `count` answers to a command on their way back, below the SDK's retries. */
export function loseAnswers(client: DynamoDBClient, command: string, count: number, { arrives = true } = {}): Losses {
  let asked = 0;
  const name = "loseAnswers";
  return {
    asked: () => asked,
    async during(call) {
      client.middlewareStack.add(
        (next, context) => async (args) => {
          if (context.commandName !== command) return await next(args);
          const dropped = ++asked <= count;
          const answer = arrives || !dropped ? await next(args).catch((error: unknown) => ({ error })) : undefined;
          if (dropped) throw lost();
          if (answer && "error" in answer) throw answer.error;
          return answer as Awaited<ReturnType<typeof next>>;
        },
        { step: "deserialize", name, priority: "low" },
      );
      try {
        return await call();
      } finally {
        client.middlewareStack.remove(name);
      }
    },
  };
}
