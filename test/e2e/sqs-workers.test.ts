import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AwsClients, awsClients } from "./servers/aws";
import { type Emulator, startMoto } from "./servers/emulator";
import { eventually } from "./servers/eventually";
import { freePorts } from "./servers/free-ports";
import { installed } from "./servers/installed";

/**
 * The workers of docs/long-jobs.md on an emulator of SQS: a job that is longer than the visibility timeout is received
 * once, and deleted after it. On SIGTERM, a worker finishes its job and takes no other. A worker that is killed leaves
 * its message to the next one.
 */
const folder = resolve(__dirname, "../../examples/busy-workers");
const visibilitySeconds = 3;
const running: ChildProcess[] = [];
const scratch = mkdtempSync(join(tmpdir(), "ebb-sqs-workers-"));
let emulator: Emulator;
let aws: AwsClients;

beforeAll(async () => {
  emulator = await startMoto();
  aws = awsClients(emulator);
}, 120_000);

afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  aws.destroy();
  await emulator.stop();
  rmSync(scratch, { recursive: true });
});

const python = () => join(dirname(installed().moto), "python3");
const workers = [
  ["sqs_worker.py", python],
  ["sqs-worker.mjs", () => process.execPath],
] as const;

describe.each(workers)("%s", (file, command) => {
  const queue = file.replaceAll(/\W/g, "-");
  let url: string;

  beforeAll(async () => {
    url = (await aws.sqs.send(new CreateQueueCommand({ QueueName: queue }))).QueueUrl ?? "";
  });

  async function work() {
    const [port = 0] = await freePorts(1);
    const child = spawn(command(), [join(folder, file), String(port)], {
      env: {
        ...process.env,
        AWS_ENDPOINT_URL: emulator.endpoint,
        AWS_REGION: emulator.region,
        AWS_DEFAULT_REGION: emulator.region,
        AWS_ACCESS_KEY_ID: "test",
        AWS_SECRET_ACCESS_KEY: "test",
        QUEUE_URL: url,
        VISIBILITY_SECONDS: String(visibilitySeconds),
      },
      stdio: "ignore",
    });
    running.push(child);
    const isBusy = (expected: string) =>
      eventually(`/busy is ${expected}`, async () => {
        expect(await (await fetch(`http://127.0.0.1:${port}/busy`)).text()).toBe(expected);
      });
    return { child, isBusy };
  }

  /** Logs that it began, and ends once its file is there or its log is gone: a killed worker leaves it running. */
  async function send(job: string): Promise<{ readonly end: () => void; readonly starts: () => number }> {
    const [log, done] = [join(scratch, `${queue}-${job}.log`), join(scratch, `${queue}-${job}.done`)];
    const MessageBody = `echo began >> ${log}; while [ -e ${log} ] && [ ! -e ${done} ]; do sleep 0.1; done`;
    await aws.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody }));
    const starts = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0);
    return { end: () => writeFileSync(done, ""), starts };
  }

  async function left(): Promise<number> {
    const names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
    const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...names] });
    const { Attributes = {} } = await aws.sqs.send(asked);
    return names.reduce((sum, name) => sum + Number(Attributes[name]), 0);
  }

  test("a job longer than the visibility timeout is received once, and SIGTERM waits for it", async () => {
    const long = await send("long");
    const { child, isBusy } = await work();
    await isBusy("1");
    // The emulator measures visibility by the real clock.
    for (const until = Date.now() + 2 * visibilitySeconds * 1_000; Date.now() < until; await sleep(500)) {
      const { Messages = [] } = await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl: url }));
      expect(Messages).toEqual([]);
    }
    const next = await send("next");
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await isBusy("1");
    expect(child.exitCode).toBeNull();
    long.end();
    expect(await ended).toEqual([0, null]);
    expect([long.starts(), next.starts()]).toEqual([1, 0]);
    expect(await left()).toBe(1);

    next.end();
    const { child: other, isBusy: isNextBusy } = await work();
    await eventually("the next worker has done the other job", async () => expect(await left()).toBe(0));
    await isNextBusy("0");
    const isOver = once(other, "exit");
    other.kill("SIGTERM");
    await isOver;
  }, 120_000);

  test("a message that comes in the last wait goes back at once", async () => {
    const { child, isBusy } = await work();
    await isBusy("0");
    await sleep(1_000); // it waits for messages by then
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const late = await send("late");
    expect(await ended).toEqual([0, null]);
    expect(late.starts()).toBe(0);
    const received = new ReceiveMessageCommand({
      QueueUrl: url,
      MessageSystemAttributeNames: ["ApproximateReceiveCount"],
    });
    const { Messages: [message] = [] } = await aws.sqs.send(received);
    expect(message?.Attributes).toEqual({ ApproximateReceiveCount: "2" });
    await aws.sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }));
  }, 120_000);

  test("the message of a worker that is killed comes again", async () => {
    const job = await send("killed");
    const { child, isBusy } = await work();
    await isBusy("1");
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    await work();
    await eventually("it begins again", () => expect(job.starts()).toBe(2));
    job.end();
    await eventually("it is done", async () => expect(await left()).toBe(0));
  }, 120_000);
});
