import type { MiddlewareObj } from "@middy/core";
import type { Telemetry } from "../lib/telemetry/reporter";

/** Logs an invocation's failure and writes its metrics. Use it first, so that it ends last. */
export function reported(reporter: Pick<Telemetry, "started" | "invocationFailed" | "flush">): MiddlewareObj {
  return {
    before({ context }) {
      reporter.started(context.awsRequestId);
    },
    after() {
      reporter.flush();
    },
    onError({ error, response }) {
      if (response === undefined) reporter.invocationFailed(error);
      reporter.flush();
    },
  };
}
