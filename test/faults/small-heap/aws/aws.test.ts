import { answerBytes } from "../../../../lib/aws/sdk/bounded-answers";
import { loopbackServers } from "../../../backends/loopback";
import { functionMegabytes, smallHeap } from "../../../small-heap/small-heap";
import { drip, type Lie, liesOf, lying } from "./lying-service";
import type { Job, Outcomes } from "./reader";

/**
 * A process with a heap as small as a function's asks services that lie, with every client that ebb has: a proxy may
 * pose as AWS. It must neither end nor grow, and each call must fail by itself.
 */
const services = loopbackServers();
const ask = smallHeap<Job, { readonly outcomes: Outcomes }>("test/faults/small-heap/aws/reader.ts");

const endpoints = {
  SQS: answerBytes.sqs,
  CLOUDWATCH: answerBytes.cloudwatch,
  SECRETS_MANAGER: answerBytes.secret,
  SSM: answerBytes.secret,
  EKS: answerBytes.eks,
  STS: answerBytes.sts,
};

const keys = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s3cr3t", AWS_EC2_METADATA_DISABLED: "true" };

async function askAll(
  lieOf: (bound: number) => Lie,
  { calls = 8, limitMs = 60_000, env = {} }: Partial<Job> = {},
): ReturnType<typeof ask> {
  const addresses = await Promise.all(
    Object.entries(endpoints).map(async ([service, bound]) => {
      const { url } = await services.start(lying(lieOf(bound)));
      return [`AWS_ENDPOINT_URL_${service}`, url] as const;
    }),
  );
  return ask({ calls, limitMs, env: { ...keys, ...env, ...Object.fromEntries(addresses) } });
}

/** What a call says that got no answer, or one that says nothing. */
const noAnswer = /AnswerTooLarge|SyntaxError|parse error|expected|TimeoutError|AbortError|no complete answer/;

test.each(Object.keys(liesOf(0)))(
  "%s, from every service, eight calls of each client at once, is no answer",
  async (name) => {
    const { outcomes, megabytes } = await askAll((bound) => liesOf(bound)[name] ?? drip);
    expect(Object.keys(outcomes)).toEqual(["sqs", "cloudwatch", "secret", "parameter", "eks", "sts"]);
    const isEndless = !name.includes("within");
    for (const text of Object.values(outcomes).flat()) expect(text).toMatch(isEndless ? /AnswerTooLarge/ : noAnswer);
    expect(megabytes).toBeLessThan(functionMegabytes);
  },
  300_000,
);

test("an answer that drips ends by itself", async () => {
  const { outcomes } = await askAll(() => drip, { calls: 1, limitMs: 1_000, env: { AWS_MAX_ATTEMPTS: "1" } });
  for (const text of Object.values(outcomes).flat()) expect(text).toMatch(noAnswer);
}, 300_000);
