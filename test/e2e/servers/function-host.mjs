// Takes the place of the platform's runtime: a process of its own that loads a packaged handler and gives it events,
// one at a time. node function-host.mjs <bundle> <timeout in ms>; events come and answers go over the IPC channel, and
// logs to standard output.
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { basename } from "node:path";

const [bundle, timeoutMs] = process.argv.slice(2);
const { handler } = createRequire(import.meta.url)(bundle);
const functionName = basename(bundle, ".js");

process.on("message", ({ id, event }) => {
  const deadline = Date.now() + Number(timeoutMs);
  const context = {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:${process.env.AWS_REGION}:123456789012:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: "e2e",
    memoryLimitInMB: "512",
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  Promise.resolve()
    .then(() => handler(event, context))
    .then(
      (result) => process.send({ id, result }),
      (error) => process.send({ id, error: error instanceof Error ? error.stack : String(error) }),
    );
});
process.on("disconnect", () => process.exit(0));
