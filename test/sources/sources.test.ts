import { ListMetricsCommand } from "@aws-sdk/client-cloudwatch";
import { openSqsClients } from "../../lib/aws/clients";
import { openCloudWatchClients } from "../../lib/aws/sdk/cloudwatch-clients";
import { builtInKinds, sourceKinds } from "../../lib/sources/registry";
import { sourcesOver } from "../../compose";
import { onThisMachine } from "../../lib/net/address";
import type { MetricSources } from "../../lib/model/ports/sources";
import { type FakeCloudWatch, startCloudWatch } from "../fakes/cloudwatch/start-cloudwatch";
import { type SqsServer, startSqsServer } from "./sqs/sqs-server";
import { readAll } from "./read-all";
import { contextOf } from "./read-context";

const credentials = { accessKeyId: "test", secretAccessKey: "test" };

test("the sources, by kind, are what the sync's port wants", () => {
  const clients = { sqs: openSqsClients({ credentials }), cloudwatch: { credentials } };
  const sources: MetricSources = sourcesOver(clients, { now: () => Date.now(), addresses: onThisMachine });
  expect(Object.keys(sources)).toEqual(Object.keys(sourceKinds));
});

test("each source says what the sync must know before it reads", () => {
  const clients = { sqs: openSqsClients({ credentials }), cloudwatch: { credentials } };
  const sources = sourcesOver(clients, { now: () => Date.now(), addresses: onThisMachine });
  const query = { metricName: "jobs", parameters: { formula: "a + 1", operands: [{ name: "a", source: "orders" }] } };
  expect(sources["sqs"]!.settleMs?.(query)).toBe(60_000);
  expect(sources["formula"]!.operands?.(query)).toHaveLength(1);
  expect(sources["workload"]!.rights?.({ namespace: "shop", podSelector: "app=web" })).toEqual([
    { group: "", resource: "pods", verbs: ["list"], namespace: "shop" },
  ]);
  const { isBuiltIn, settleMs, operands, rights } = sources["redis"]!;
  expect([isBuiltIn, settleMs, operands, rights]).toEqual([false, undefined, undefined, undefined]);
  expect(sources["sqs"]!.isBuiltIn).toBe(true);
});

test("sqs and cloudwatch need no entry: labels hold all of their parameters", () => {
  expect(builtInKinds()).toEqual(["sqs", "cloudwatch"]);
});

test.each(Object.keys(sourceKinds))("the code of %s reads its parameters, and says what is missing", async (kind) => {
  const clients = { sqs: openSqsClients({ credentials, region: "eu-west-1" }), cloudwatch: { credentials } };
  const source = sourcesOver(clients, { now: () => Date.now(), addresses: onThisMachine })[kind]!;
  const reading = await source.open(contextOf()).read({ metricName: "jobs", parameters: {} });
  expect(reading).toEqual({ error: expect.stringMatching(/^parameter \w+: expected /) as string, from: kind });
  expect(source.keepMs({ metricName: "jobs", parameters: {} })).toBe(0);
});

test.each([openSqsClients, openCloudWatchClients])(
  "%p opens one client for each region, and keeps it",
  async (open) => {
    const clientOf = open({ credentials, region: "eu-central-1" });
    expect(clientOf("eu-west-1")).toBe(clientOf("eu-west-1"));
    expect(clientOf("eu-west-1")).not.toBe(clientOf());
    expect(clientOf()).toBe(clientOf());
    expect(await clientOf("eu-west-1").config.region()).toBe("eu-west-1");
    expect(await clientOf().config.region()).toBe("eu-central-1");
  },
);

describe("against servers that the SDK's own variables name", () => {
  const before = { ...process.env };
  let sqs: SqsServer;
  let cloudwatch: FakeCloudWatch;
  beforeAll(async () => {
    [sqs, cloudwatch] = await Promise.all([startSqsServer(), startCloudWatch()]);
    process.env["AWS_ENDPOINT_URL_SQS"] = sqs.url;
    process.env["AWS_ENDPOINT_URL_CLOUDWATCH"] = cloudwatch.url;
  });
  afterAll(async () => {
    process.env = before;
    await Promise.all([sqs.close(), cloudwatch.close()]);
  });

  test("both sources read, and the client of CloudWatch gives up early and tries at most twice", async () => {
    sqs.queues.set("orders", { ApproximateNumberOfMessages: "3", ApproximateNumberOfMessagesNotVisible: "1" });
    cloudwatch.answer({ code: "ThrottlingException" }, 1);
    const clients = {
      sqs: openSqsClients({ credentials, region: "eu-west-1" }),
      cloudwatch: { credentials, region: "eu-west-1" },
    };
    const sources = sourcesOver(clients, { now: () => Date.now(), addresses: onThisMachine });
    const { signal } = new AbortController();
    const backlog = { namespace: "App", metricName: "Backlog", absent: "2" };
    const [length] = await readAll(
      sources["sqs"]!,
      [{ metricName: "sqs", parameters: { queue: "orders" } }],
      0,
      signal,
    );
    const [metric] = await readAll(
      sources["cloudwatch"]!,
      [{ metricName: "backlog", parameters: backlog }],
      Date.now(),
      signal,
    );
    expect(length).toMatchObject({ items: [{ metricName: "sqs", value: "4" }] });
    expect(metric).toMatchObject({ items: [{ metricName: "backlog", value: "2" }] });
    expect(cloudwatch.requests).toHaveLength(2);
    const client = openCloudWatchClients(clients.cloudwatch)();
    await client.send(new ListMetricsCommand({})).catch(() => undefined); // the handler has its limits from then on
    const { config } = client;
    expect(await config.maxAttempts()).toBe(2);
    const limits = { connectionTimeout: 3_000, requestTimeout: 3_000, throwOnRequestTimeout: true };
    const handler = config.requestHandler as unknown as { httpHandlerConfigs(): object };
    expect(handler.httpHandlerConfigs()).toMatchObject(limits);
  });
});
