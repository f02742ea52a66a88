// Loads the packaged functions as the platform does, with this Node: `node scripts/load-functions.mjs`. CI runs it on each Node that
// a function may be deployed to.
import { createRequire } from "node:module";
import { join } from "node:path";

const functions = ["tick", "sync"];

// What serverless.yml sets; nothing is connected to before the first event.
Object.assign(process.env, {
  AWS_REGION: "eu-central-1",
  AWS_LAMBDA_FUNCTION_NAME: "ebb",
  TABLE_NAME: "ebb",
  QUEUE_URL: "https://sqs.eu-central-1.amazonaws.com/000000000000/ebb",
});

const require = createRequire(import.meta.url);
for (const name of functions) {
  const file = join(import.meta.dirname, "../dist/functions", `${name}.js`);
  const { handler } = require(file);
  if (typeof handler !== "function")
    throw new Error(`${file}: expected it to export a function handler, got ${typeof handler}`);
}
console.log(`${functions.join(" and ")} load on Node ${process.version}`);
