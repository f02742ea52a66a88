import { readdirSync } from "node:fs";
import { join } from "node:path";

// Every table of this folder and its subfolders as one suite: a mutant then loads the core once, not once a file
// (stryker.config.mjs).
// The recorded vectors and the property tests, left out here, would make each mutant cost seconds.
const leftOut = /^(decisions|stories|properties|history\.property)\.test\.ts$/;

for (const file of readdirSync(__dirname, { recursive: true, encoding: "utf8" })) {
  if (file.endsWith(".test.ts") && !leftOut.test(file)) jest.requireActual(join(__dirname, file));
}
