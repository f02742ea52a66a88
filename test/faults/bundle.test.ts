import { execFile } from "node:child_process";
import { promisify } from "node:util";

// The simulator bundles what functions run with its own clock, tokens and events in place of Node's. A new import of
// lib can break that bundle while every other test passes.
test("what functions run fits into the simulator", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/faults.mjs", "--kind=moment", "--seeds=1"]);
  expect(stdout).toMatch(/^moment: 1 stories, 0 failed/m);
});
