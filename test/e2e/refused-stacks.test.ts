import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { osls } from "./servers/osls";

/** The framework itself packages each stack, or says why it does not. Nothing here reaches AWS. */
const folder = mkdtempSync(join(tmpdir(), "ebb-e2e-refused-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function packaging(args: readonly string[]): Promise<{ readonly status: number; readonly text: string }> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, CI: "true", SLS_INTERACTIVE_SETUP_ENABLE: "" };
  return new Promise((resolve) => {
    execFile(osls, ["package", "--package", folder, ...args], { env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    );
  });
}
const many = (of: (index: number) => string) => Array.from({ length: 140 }, (_, index) => of(index)).join(",");

const tooMany = {
  queueArns: many((index) => `arn:aws:sqs:eu-central-1:111122223333:team-${index}-a-queue-with-a-name`),
  sourceHosts: many((index) => `metrics-${index}.internal.example.com`),
};
const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);

test("a stage that reads like production and protects nothing is refused", async () => {
  const text = like(/the stage Production reads like production/);
  expect(await packaging(["--stage", "Production"])).toEqual({ status: 1, text });
}, 120_000);

test("a stage whose name is too long is refused", async () => {
  const text = like(/expected at most 54 characters, got 55/);
  expect(await packaging(["--stage", "s".repeat(55)])).toEqual({ status: 1, text });
}, 120_000);

test("params that do not fit into a role or an environment are refused, with the numbers", async () => {
  const text = like(/SyncRole: expected at most 10,240 characters .*ReadQueueDepths 9,\d+ \(param queueArns\)/);
  expect(await packaging([`--param=queueArns=${tooMany.queueArns}`])).toEqual({ status: 1, text });
  const environment = await packaging([`--param=sourceHosts=${tooMany.sourceHosts}`]);
  expect(environment.text).toMatch(
    /function ebb-dev-sync: expected at most 4,096 bytes .*SOURCE_HOSTS 4,\d+ \(param sourceHosts\)/,
  );
}, 120_000);

test("a stage with the longest name and a policy of its own is packaged", async () => {
  const stage = `Production-${"s".repeat(43)}`;
  expect(stage).toHaveLength(54);
  const packaged = await packaging(["--stage", stage, "--param=tableDeletionPolicy=Delete"]);
  expect(packaged).toMatchObject({ status: 0 });
}, 120_000);
