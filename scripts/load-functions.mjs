// Loads the packaged functions as Lambda does, on the current Node: `node scripts/load-functions.mjs`. CI runs it on
// each Node that functions may run on.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

const functions = ["tick", "wake", "sync", "watch", "notify", "metrics"];

// Lambda gives it to functions that stream their answer: https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
const streaming = new Set();
globalThis.awslambda = {
  streamifyResponse(handler) {
    streaming.add(handler);
    return handler;
  },
};

// As serverless.yml sets them. No function connects to anything before its first event.
Object.assign(process.env, {
  AWS_REGION: "eu-central-1",
  AWS_LAMBDA_FUNCTION_NAME: "ebb",
  TABLE_NAME: "ebb",
  QUEUE_URL: "https://sqs.eu-central-1.amazonaws.com/000000000000/ebb",
});

const require = createRequire(import.meta.url);
const folder = join(import.meta.dirname, "../dist/functions");
const parts = readdirSync(folder).filter((file) => file.endsWith(".js"));
const missing = functions.filter((name) => !parts.includes(`${name}.js`));
if (missing.length > 0) throw new Error(`${folder}: expected ${missing.join(" and ")}, run npm run build`);
for (const part of parts) {
  const { handler } = require(join(folder, part));
  if (!functions.includes(basename(part, ".js"))) continue; // a part that a function loads only when needed
  if (typeof handler !== "function")
    throw new Error(`${part}: expected it to export a function handler, got ${typeof handler}`);
  // nodejs24.x refuses a third parameter, the callback. Of a stream, it is the context.
  const most = streaming.has(handler) ? 3 : 2;
  if (handler.length > most)
    throw new Error(`${part}: expected at most ${most} parameters of its handler, got ${handler.length}`);
}
console.log(`${parts.join(", ")} load on Node ${process.version}`);
