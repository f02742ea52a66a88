import type { DynamoClient } from "../../lib/aws/http/dynamodb-commands";
import { aroundAttempts } from "../aws/around";
import type { MetMishap, MishapSwitch } from "../fakes/wire";

const writes = ["PutItem", "DeleteItem", "BatchWriteItem"];

/** What happens to one call, at all its attempts. */
interface CallMishap {
  attempts: number;
  readonly mishap: MetMishap | undefined;
  readonly losesLook: boolean;
}

/** Applies the mishaps to a client's writes below its retries, so it sees each attempt. */
export function addMishaps(client: DynamoClient, mishaps: MishapSwitch): void {
  let losesNextLook = false;
  const calls = new Map<string, CallMishap>();

  function first(operation: string): CallMishap {
    const mishap = writes.includes(operation) ? mishaps.take() : undefined;
    const losesLook = operation === "GetItem" && losesNextLook;
    if (writes.includes(operation)) losesNextLook = mishap?.kind === "unanswered";
    if (operation === "GetItem") losesNextLook = false;
    return { attempts: 0, mishap, losesLook };
  }

  aroundAttempts(client, async (next, operation, id) => {
    const call = calls.get(id) ?? first(operation);
    calls.set(id, call);
    call.attempts += 1;
    const { attempts, mishap, losesLook } = call;
    if (losesLook) throw lost();
    if (mishap === undefined) return await next();
    if (mishap.kind === "answerLost" && attempts > 1) return await next();
    if (attempts > 1) throw lost();
    if (mishap.kind === "late") mishap.hold(next);
    if (mishap.kind === "answerLost" || mishap.kind === "unanswered") await next();
    throw lost();
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
export function countRequests(client: DynamoClient, command: string): Losses {
  return loseAnswers(client, command, 0);
}

/** Drops the first `count` answers to a command on their way back, below its retries. */
export function loseAnswers(client: DynamoClient, command: string, count: number, { arrives = true } = {}): Losses {
  let asked = 0;
  return {
    asked: () => asked,
    async during(call) {
      const end = aroundAttempts(client, async (next, operation) => {
        if (operation !== command) return await next();
        const dropped = ++asked <= count;
        if (!dropped) return await next();
        if (arrives) await next();
        throw lost();
      });
      try {
        return await call();
      } finally {
        end();
      }
    },
  };
}
