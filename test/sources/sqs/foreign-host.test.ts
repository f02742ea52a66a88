import { openSqsClients } from "../../../lib/aws/clients";
import type { Post } from "../../../lib/aws/http/post";
import { parseSqsQuery } from "../../../lib/sources/sqs/sqs-query";
import { openSqsSource } from "../../../lib/sources/sqs/sqs";
import { readAll } from "../read-all";
import { noLimit } from "../../time/no-limit";

/** The hosts that signed requests went to, for a query with this queue. */
async function hostsAsked(queue: string): Promise<readonly string[]> {
  const hosts: string[] = [];
  const post: Post = ({ url, headers }) => {
    expect(headers["host"]).toBe(url.host);
    hosts.push(url.hostname);
    return Promise.reject(Object.assign(new Error("nobody"), { code: "ENOTFOUND" }));
  };
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const source = openSqsSource(openSqsClients({ region: "eu-west-1", credentials, maxAttempts: 1, post }));
  await readAll(source, [{ metricName: "sqs", parameters: { queue } }], 0, noLimit());
  return [...new Set(hosts)];
}

test.each([
  ["https://evil.example/123456789012/orders", "sqs.eu-west-1.amazonaws.com"],
  ["https://sqs.eu-central-1.amazonaws.com.evil.example/123456789012/orders", "sqs.eu-central-1.amazonaws.com"],
  ["https://sqs.eu-central-1.amazonaws.com@evil.example/123456789012/orders", "sqs.eu-west-1.amazonaws.com"],
  ["http://169.254.169.254/123456789012/orders", "sqs.eu-west-1.amazonaws.com"],
  ["https://vpce-1.sqs.eu-central-1.vpce.amazonaws.com/123456789012/orders", "sqs.eu-central-1.amazonaws.com"],
])("the queue %s is asked for at %s", async (queue, host) => {
  expect(await hostsAsked(queue)).toEqual([host]);
});

test.each(["evil.example/#", "eu-west-1.evil.example", "eu-west-1@evil.example", "eu-west-1:443"])(
  "%s is no region",
  (region) => {
    expect(() => parseSqsQuery({ metricName: "sqs", parameters: { queue: "orders", region } })).toThrow(
      /parameter region: expected an AWS region/,
    );
  },
);
