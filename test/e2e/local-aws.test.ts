import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installed } from "./servers/installed";
import { type LocalRun, run, runFileOf, startLocalRun } from "./servers/local-run";

/** The queues and the table of a real `ebb start`, asked by what users have: boto3 and the AWS CLI. */
const home = mkdtempSync(join(tmpdir(), "ebb-e2e-local-"));
const directory = join(home, ".ebb");
let started: LocalRun;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  started = await startLocalRun(directory);
  env = {
    AWS_SHARED_CREDENTIALS_FILE: join(directory, "aws-credentials"),
    ...{ AWS_CONFIG_FILE: "/dev/null", AWS_REGION: "us-east-1", AWS_EC2_METADATA_DISABLED: "true" },
  };
});
afterAll(async () => {
  started.child.kill("SIGINT");
  await started.ended;
  rmSync(home, { recursive: true });
});

test("boto3: equal requests, FIFO queues, transactions, tags, and what is not there", async () => {
  const { endpoint, sqs } = runFileOf(directory);
  const python = join(dirname(installed().aws), "python3");
  const script = join(__dirname, "servers/local-aws.py");
  const { code, out, err } = await run(python, [script, sqs.endpoint, endpoint], env);
  expect([code, err]).toEqual([0, ""]);
  expect(JSON.parse(out)).toEqual({
    "equal messages": 10,
    batch: 10,
    purged: [],
    "queue tags": { stage: "test" },
    fifo: ["a1", "a2"],
    "no group": expect.stringContaining("(MissingParameter) when calling the SendMessage operation") as unknown,
    "no such queue operation": expect.stringMatching(
      /\(UnknownOperation\w*\).*the local SQS has no AmazonSQS.StartMessageMoveTask; it has CreateQueue/,
    ) as unknown,
    cancelled: expect.stringMatching(/\(TransactionCanceledException\).*\[None, ConditionalCheckFailed\]/) as unknown,
    together: ["1", "1", null],
    "table tags": [{ Key: "team", Value: "blue" }],
    "time to live": "DISABLED",
    backups: "DISABLED",
    "no such table operation": expect.stringMatching(
      /\(UnknownOperationException\).*the local table has no DynamoDB_20120810.ExecuteStatement; it has BatchGetItem/,
    ) as unknown,
  });
});

test("the AWS CLI, as `ebb start` prints its command", async () => {
  const { endpoint, sqs } = runFileOf(directory);
  const aws = (url: string, ...args: readonly string[]) =>
    run(installed().aws, ["--profile", "ebb", "--region", "us-east-1", "--endpoint-url", url, ...args], env);
  const created = await aws(sqs.endpoint, "sqs", "create-queue", "--queue-name", "cli");
  const url = (JSON.parse(created.out) as { QueueUrl: string }).QueueUrl;
  const sent = () => aws(sqs.endpoint, "sqs", "send-message", "--queue-url", url, "--message-body", "same");
  const codes = (await Promise.all([sent(), sent(), sent()])).map(({ code }) => code);
  expect(codes).toEqual([0, 0, 0]);
  const received = await aws(
    ...[sqs.endpoint, "sqs", "receive-message", "--queue-url", url, "--max-number-of-messages", "10"],
  );
  expect((JSON.parse(received.out) as { Messages: object[] }).Messages).toHaveLength(3);
  const scanned = await aws(endpoint, "dynamodb", "scan", "--table-name", "ebb", "--select", "COUNT");
  expect((JSON.parse(scanned.out) as { Count: number }).Count).toBeGreaterThan(0);
  const refused = await aws(endpoint, "dynamodb", "list-backups");
  expect(refused.code).not.toBe(0);
  expect(refused.err).toMatch(/ListBackups operation: the local table has no .*ListBackups; it has/);
});
