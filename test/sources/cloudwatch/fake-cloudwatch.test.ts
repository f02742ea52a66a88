import { CloudWatchClient, GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { cloudWatchContract } from "../../contract/cloudwatch-contract";
import { startCloudWatch } from "../../fakes/cloudwatch/start-cloudwatch";

const credentials = { accessKeyId: "test", secretAccessKey: "test" };

cloudWatchContract("the fake", async () => {
  const fake = await startCloudWatch();
  const client = new CloudWatchClient({ endpoint: fake.url, region: "eu-west-1", credentials });
  return { client, settle: () => Promise.resolve(), close: () => fake.close() };
});

describe("the fake's own handles", () => {
  test("injected answers are given as often as asked, then the truth again; requests are seen with their region", async () => {
    const fake = await startCloudWatch();
    try {
      const client = new CloudWatchClient({ endpoint: fake.url, region: "us-east-2", credentials, maxAttempts: 1 });
      fake.put({ Namespace: "n", MetricName: "m" }, [[60, 7]]);
      fake.answer({ code: "ThrottlingException" });
      const stat = { Metric: { Namespace: "n", MetricName: "m" }, Period: 3600, Stat: "Sum" };
      const command = () =>
        new GetMetricDataCommand({
          MetricDataQueries: [{ Id: "m", MetricStat: stat }],
          StartTime: new Date(0),
          EndTime: new Date(3_600_000),
        });
      await expect(client.send(command())).rejects.toMatchObject({ name: "ThrottlingException" });
      expect((await client.send(command())).MetricDataResults?.[0]?.Values).toEqual([7]);
      expect(fake.requests.map(({ operation, region }) => `${operation} ${region}`)).toEqual([
        "GetMetricData us-east-2",
        "GetMetricData us-east-2",
      ]);
    } finally {
      await fake.close();
    }
  });

  test("a request that nobody signed is refused", async () => {
    const fake = await startCloudWatch();
    try {
      const answer = await fetch(fake.url, { method: "POST", body: "{}" });
      expect([answer.status, answer.headers.get("x-amzn-query-error")]).toEqual([
        403,
        "MissingAuthenticationToken;Sender",
      ]);
    } finally {
      await fake.close();
    }
  });
});
