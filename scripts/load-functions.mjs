// Loads the packaged functions as Lambda does, on the current Node: `node scripts/load-functions.mjs`. CI runs it on
// each Node that functions may run on.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

const functions = ["tick", "wake", "sync"];

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
  // nodejs24.x refuses a third parameter, the callback.
  if (handler.length > 2)
    throw new Error(`${part}: expected handler(event, context), got ${handler.length} parameters`);
}
console.log(`${parts.join(", ")} load on Node ${process.version}`);
