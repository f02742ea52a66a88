import { spawnSync } from "node:child_process";
import { join } from "node:path";

test("bench/results/planted-bugs.md is what found.json says: node scripts/planted-bugs.mjs", () => {
  const options = { cwd: join(__dirname, "../.."), encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/planted-bugs.mjs", "--check"], options);
  expect([status, stderr]).toEqual([0, ""]);
});
