// Takes the place of the platform's runtime: a process of its own that loads a packaged handler and gives it events,
// one at a time. node function-host.mjs <bundle> <timeout in ms>; events come over the IPC channel. Logs and answers go
// to standard output, so an answer comes after everything that its invocation logged.
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { basename } from "node:path";

const [bundle, timeoutMs] = process.argv.slice(2);
process.stderr.write = process.stdout.write.bind(process.stdout);
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
      (result) => answer({ id, result }),
      (error) => answer({ id, error: error instanceof Error ? error.stack : String(error) }),
    );
});

function answer(what) {
  process.stdout.write(`answer ${JSON.stringify(what)}\n`);
}

process.on("disconnect", () => process.exit(0));
