import type { AwsCredentials } from "../../lib/aws/credentials";
import { awsHost } from "../../lib/aws/endpoint";
import { eksToken } from "../../lib/cluster/auth/authenticators";
import { mskToken } from "../../lib/sources/kafka/aws-iam";
import { rdsToken } from "../../lib/sources/postgresql/postgresql";
import { runPython } from "./python";

/** The tokens for EKS, RDS and MSK, beside those of botocore and of the AWS CLI at the same second. */
const clock = Date.parse("2026-11-26T01:02:03Z");
const longLived: AwsCredentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret/+x" };
const ofRole: AwsCredentials = { ...longLived, accessKeyId: "ASIAEXAMPLE", sessionToken: "tok+/=en&x y" };

const cases = [
  ...["eu-central-1", "us-gov-west-1", "cn-north-1"].map((region) => ({
    kind: "eks",
    of: { clusterName: "prod", region },
  })),
  { kind: "eks", of: { clusterName: "team_a-Prod-2", region: "us-east-1" } },
  ...["app", "app user", "a+b@c/d=é'(*)"].map((username) => ({
    kind: "rds",
    of: { host: "db.abc.eu-central-1.rds.amazonaws.com", port: 5432, username, region: "eu-central-1" },
  })),
  ...["eu-central-1", "cn-northwest-1"].map((region) => ({ kind: "msk", of: { region } })),
].flatMap((each) => [longLived, ofRole].map((credentials) => ({ ...each, credentials })));
type Case = (typeof cases)[number];

function ownToken({ kind, of, credentials }: Case): Promise<string> {
  const {
    clusterName = "",
    region,
    host = "",
    port = 0,
    username = "",
  } = of as Record<string, string> & { port?: number };
  if (region === undefined) throw new Error("expected a region in each case, got none");
  const provider = () => Promise.resolve(credentials);
  if (kind === "eks") return eksToken({ clusterName, region }, credentials, clock).then(({ token }) => token);
  if (kind === "msk") return mskToken(`b-1.x.kafka.${region}.amazonaws.com`, provider, new Date(clock));
  return rdsToken({ host, port, tls: true } as never, { username, region }, { credentials: provider, now: clock });
}

/** The request that a token holds: RDS has no scheme, EKS and MSK have base64. Without what names the client. */
function requestIn(kind: string, token: string): object {
  const text =
    kind === "rds" || token.startsWith("https:")
      ? token
      : Buffer.from(token.replace(/^k8s-aws-v1\./, ""), "base64url").toString();
  const url = new URL(text.startsWith("https:") ? text : `https://${text}`);
  url.searchParams.delete("User-Agent");
  return { host: url.host, path: url.pathname, query: Object.fromEntries(url.searchParams) };
}

const services = ["sqs", "dynamodb", "sts", "eks"];
const { tokens, endpoints } = runPython<{
  readonly tokens: readonly string[];
  readonly endpoints: Readonly<Record<string, string>>;
}>("botocore", "sign_tokens.py", { clock, services, tokens: cases });

test.each(cases.map((each, index) => [each.kind, JSON.stringify(each.of), each, tokens[index] ?? ""] as const))(
  "%s %s: the request and its signature are botocore's",
  async (kind, _, each, expected) => {
    expect(requestIn(kind, await ownToken(each))).toEqual(requestIn(kind, expected));
    expect(expected).not.toBe("");
  },
);

test("an EKS token has the form of the AWS CLI's", async () => {
  const [first, expected = ""] = [cases[0], tokens[0]];
  if (first === undefined) throw new Error("expected a case, got none");
  const form = (token: string) => token.replace(/[A-Za-z0-9_-]+$/, "");
  expect(form(await ownToken(first))).toBe(form(expected));
});

test("a token of another second, cluster or secret is another one", async () => {
  const [first] = cases;
  if (first === undefined) throw new Error("expected a case, got none");
  const expected = requestIn("eks", tokens[0] ?? "");
  const others = [
    { ...first, of: { clusterName: "prod2", region: "eu-central-1" } },
    { ...first, credentials: { ...first.credentials, secretAccessKey: "secret/+y" } },
  ];
  for (const other of others) expect(requestIn("eks", await ownToken(other))).not.toEqual(expected);
});

test("each region's endpoint is botocore's", () => {
  const own = Object.keys(endpoints).map((key) => {
    const [service = "", region = ""] = key.split(" ");
    return [key, `https://${awsHost(service, region)}`];
  });
  expect(own.length).toBeGreaterThan(100);
  expect(Object.fromEntries(own)).toEqual(endpoints);
});
