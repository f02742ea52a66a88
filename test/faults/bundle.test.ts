import { execFile } from "node:child_process";
import { promisify } from "node:util";

// The simulator bundles what functions run with its own clock, tokens and events in place of Node's. A new import of
// lib can break that bundle while every other test passes.
test("what functions run fits into the simulator", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/faults.mjs", "--kind=moment", "--seeds=1"]);
  expect(stdout).toMatch(/^moment: 1 stories, 0 failed/m);
});

test("each planted bug fits the code", async () => {
  const script = `
    import { readFileSync } from "node:fs";
    import { bugs } from "./test/faults/planted/bugs.mjs";
    const fits = ({ file, find }) => readFileSync(file, "utf8").split(find).length === 2;
    console.log(JSON.stringify(bugs.map(({ name, changes }) => [name, changes.every(fits)])));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  const bugs = JSON.parse(stdout) as (readonly [name: string, fits: boolean])[];
  expect(bugs.length).toBeGreaterThan(50);
  expect(bugs.filter(([, fits]) => !fits)).toEqual([]);
});
