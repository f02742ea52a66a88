// `node scripts/planted-test.mjs BUNDLE`: runs a bundled test file up to its first failure, and prints its name.
// scripts/faults.mjs bundles it with a planted bug. Jest itself takes some seconds to start, and this half a second.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { expect } from "expect";
import * as circus from "jest-circus";

/** As jest.config.mjs. */
const testTimeoutMs = 60_000;

const { describe, test, it, beforeAll, beforeEach, afterAll, afterEach } = circus;
const jest = { setTimeout: () => undefined };
Object.assign(globalThis, { describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect, jest });
globalThis[Symbol.for("TEST_TIMEOUT_SYMBOL")] = testTimeoutMs;

let failed;
circus.addEventHandler(({ name, test: one }) => {
  if (name === "test_start" && failed !== undefined) one.mode = "skip";
  if (name === "test_done" && one.errors.length > 0) failed ??= namesOf(one);
});

createRequire(import.meta.url)(resolve(process.argv[2]));
const { testResults, unhandledErrors } = await circus.run();
// A test file that cannot run finds nothing.
if (unhandledErrors.length > 0) console.log(`the tests did not run: ${unhandledErrors[0]}`);
else if (failed !== undefined) console.log(`failed: ${failed}`);
else console.log(`${testResults.length} tests passed`);
process.exit(0);

function namesOf(one) {
  const names = [];
  for (let at = one; at.parent !== undefined; at = at.parent) names.unshift(at.name);
  return names.join(" › ");
}
