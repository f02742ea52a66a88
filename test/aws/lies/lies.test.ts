import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { answerBytes } from "../../../lib/aws/bounded-answers";
import { drip, type Lie, liesOf, type Service, startService } from "./lying-service";

/**
 * A process with a heap as small as a function's asks services that lie, with every client that ebb has: a proxy may
 * pose as AWS. It must neither end nor grow, and each call must fail by itself.
 */
const heapMegabytes = 256;
const functionMegabytes = 512;

let folder = "";
let services: Service[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-lies-"));
  const entryPoints = ["test/aws/lies/reader.ts"];
  buildSync({ entryPoints, outfile: join(folder, "reader.js"), bundle: true, platform: "node", logLevel: "error" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
});

interface Read {
  /** By client: the distinct outcomes of its calls. */
  readonly outcomes: Readonly<Record<string, readonly string[]>>;
  readonly megabytes: number;
}

const endpoints = {
  SQS: answerBytes.sqs,
  CLOUDWATCH: answerBytes.cloudwatch,
  SECRETS_MANAGER: answerBytes.secret,
  SSM: answerBytes.secret,
  EKS: answerBytes.eks,
  STS: answerBytes.sts,
};

async function askAll(
  lieOf: (bound: number) => Lie,
  { calls = 8, limitMs = 60_000, env = {} }: { readonly calls?: number; readonly limitMs?: number; env?: object } = {},
): Promise<Read> {
  const addresses = await Promise.all(
    Object.entries(endpoints).map(async ([service, bound]) => {
      const started = await startService(lieOf(bound));
      services.push(started);
      return [`AWS_ENDPOINT_URL_${service}`, started.url] as const;
    }),
  );
  const keys = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s3cr3t", AWS_EC2_METADATA_DISABLED: "true" };
  const args = [`--max-old-space-size=${heapMegabytes}`, join(folder, "reader.js"), String(calls), String(limitMs)];
  const child = spawn(process.execPath, args, { env: { ...keys, ...env, ...Object.fromEntries(addresses) } });
  let [out, errors] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`the reader ended with ${code}: ${errors.slice(0, 2_000)}`);
  return JSON.parse(out) as Read;
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
  120_000,
);

test("an answer that drips ends by itself", async () => {
  const { outcomes } = await askAll(() => drip, { calls: 1, limitMs: 1_000, env: { AWS_MAX_ATTEMPTS: "1" } });
  for (const text of Object.values(outcomes).flat()) expect(text).toMatch(noAnswer);
}, 120_000);
