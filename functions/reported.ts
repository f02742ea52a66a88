import type { MiddlewareObj } from "@middy/core";
import type { Telemetry } from "../lib/telemetry/reporter";

/** Middleware, the first to be used and so the last to end: an invocation's failure is logged, and its metrics leave as one line. */
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
