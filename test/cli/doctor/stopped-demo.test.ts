import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { demoHpas, demoSource } from "../../../local/demo/demo-hpas";
import { stored } from "../../../local/directory";
import { putCluster, putHpa, putSource } from "../../../local/entries";
import { canary } from "../../canaries/canary";
import { json, startServer, type TestServer } from "../../cluster/api-server";
import { ebb } from "../run-ebb";
import { tableForTests } from "../table";

/**
 * The demo's table is there and its process is gone. A person's real credentials are, too: the demo's queues have
 * names that an account may well have.
 */
jest.setTimeout(120_000);
const { table, folder } = tableForTests();
const before = { ...process.env };
let aws: TestServer;
const demo = () => join(folder(), "demo");

beforeAll(async () => {
  aws = await startServer((_, response) => json(response, 200, {}));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "PERSON",
    AWS_SECRET_ACCESS_KEY: canary("demo-person"),
  });
  await mkdir(demo(), { mode: 0o700 });
  const file = join(demo(), stored.kubeconfig);
  await writeFile(file, "{}", { mode: 0o600 });
  await putCluster(table(), "demo", { auth: { type: "kubeconfig", file } });
  await putSource(table(), "demo", demoSource);
  for (const hpa of demoHpas(new Date())) await putHpa(table(), "demo", hpa);
  const age = { kind: "sqs", parameters: { queue: "thumbnails", measure: "age" } };
  await putSource(table(), "demo", { name: "age", spec: age });
  const metric = { namespace: "AWS/SQS", metric: "NumberOfMessagesSent", statistic: "Sum" };
  await putSource(table(), "demo", { name: "sent", spec: { kind: "cloudwatch", parameters: metric } });
});
afterAll(async () => {
  process.env = { ...before };
  await aws.stop();
});
afterEach(() => expect(aws.received).toEqual([]));

/** As a person who has named the demo's kubeconfig types it. */
const run = (...args: readonly string[]) =>
  ebb([...args, "--directory", demo()], { table: table(), env: { KUBECONFIG: join(demo(), stored.kubeconfig) } });

test("ebb doctor says so in one line, and checks what needs no one", async () => {
  const { stdout, stderr, exitCode } = await run("doctor");
  expect(stdout.split("\n")).toEqual([
    "table",
    `  ok    the table in ${demo()} answers`,
    "cluster demo",
    expect.stringMatching(/^ {2}ok {4}\d+ HPAs are valid$/),
    `  FAIL  its slots are run: the demo is stopped, so nothing is synced → start it: \`npm start -- --directory ${demo()}\`, or \`ebb start --directory ${demo()}\` where ebb is installed`,
    "",
  ]);
  expect([stderr, exitCode]).toEqual(["1 thing needs attention.\n", 1]);
});

test("ebb status says so in its first line", async () => {
  const { stdout, exitCode } = await run("status");
  const [first] = stdout.split("\n");
  expect(first).toBe(
    `the demo is stopped, so nothing is synced: start it: \`npm start -- --directory ${demo()}\`, or \`ebb start --directory ${demo()}\` where ebb is installed.`,
  );
  expect(stdout).toMatch(/^demo .* no: the demo is stopped: start it with `npm start`$/m);
  expect(exitCode).toBe(0);
  expect(JSON.parse((await run("status", "-o", "json")).stdout)).toMatchObject({ clusters: [{ reachable: "no" }] });
});

test.each<[readonly string[]]>([[["sqs", "queue=thumbnails"]], [["age"]], [["sent"]]])(
  "ebb read %s asks nobody",
  async (source) => {
    const { stdout, stderr, exitCode } = await run("read", ...source);
    expect([stdout, exitCode]).toEqual(["", 1]);
    expect(stderr).toBe("error: the demo is stopped: start it with `npm start`\n");
  },
);

test.each<[readonly string[]]>([
  [["rbac", "demo"]],
  [["cost"]],
  [["explain", "hpa", "thumbnails"]],
  [["get", "hpa,sources"]],
  [["describe", "hpa"]],
])("ebb %j asks nobody either", async (args) => {
  const { stdout, stderr } = await run(...args);
  expect(stdout + stderr).not.toMatch(/firewall|KUBECONFIG|AWS/);
});
