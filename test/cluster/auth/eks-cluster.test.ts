import type { AwsCredentials } from "../../../lib/aws/credentials";
import { describeEks, type EksCluster } from "../../../lib/cluster/auth/eks-cluster";
import { Fault } from "../../../lib/model/fault";
import { discovering, json, scale, startServer, type TestServer } from "../api-server";
import { base64, makeCertificates } from "../certificates";
import { clustersWith, entry, soon, web } from "../connect";

const credentials: AwsCredentials = { accessKeyId: "AKID", secretAccessKey: "s3cr3t", sessionToken: "s3ss10n" };
const prod = { clusterName: "prod", region: "eu-central-1" };

interface Asking {
  readonly name?: string;
  readonly endpoint?: string;
  readonly ca?: string;
  readonly auth?: object;
  readonly now?: () => number;
}

describe("an EKS token goes only to the cluster that it is for", () => {
  let certificates: Awaited<ReturnType<typeof makeCertificates>>;
  let own: TestServer;
  let stranger: TestServer;
  let described: EksCluster;
  let asked: string[];
  const opened: { close(): void }[] = [];

  beforeAll(async () => {
    certificates = await makeCertificates();
  });
  beforeEach(async () => {
    const serve = discovering((_request, response) => json(response, 200, scale(3)));
    own = await startServer(serve, certificates.server);
    stranger = await startServer(serve, certificates.server);
    described = { endpoint: own.url, certificateAuthorityData: base64(certificates.ca), tags: {} };
    asked = [];
  });
  afterEach(async () => {
    opened.splice(0).forEach((clusters) => clusters.close());
    await Promise.all([own.stop(), stranger.stop()]);
  });

  /** What AWS answers instead of `described`. */
  let refusal: Fault | undefined;
  afterEach(() => (refusal = undefined));

  const ask = async ({ name = "prod", endpoint = own.url, ca = certificates.ca, auth = {}, ...deps }: Asking) => {
    const clusters = clustersWith({
      ...deps,
      awsCredentials: () => Promise.resolve(credentials),
      assumeRole: () => () => Promise.resolve({ ...credentials, accessKeyId: "ASSUMED" }),
      describeEks: ({ clusterName, region }, { accessKeyId }) => {
        asked.push(`${clusterName} ${region} ${accessKeyId}`);
        return refusal === undefined ? Promise.resolve(described) : Promise.reject(refusal);
      },
    });
    opened.push(clusters);
    const spec = { certificateAuthorityData: base64(ca), auth: { type: "eks", ...prod, ...auth } } as const;
    const cluster = await clusters.connect({ ...entry(endpoint, spec), name }, soon());
    return { cluster, scale: await cluster.getScale(web, soon()) };
  };

  test("as AWS says, asked once", async () => {
    const { cluster } = await ask({});
    await cluster.getScale(web, soon());
    expect(asked).toEqual(["prod eu-central-1 AKID"]);
  });

  test("as AWS says, asked with the role that signs the token", async () => {
    await ask({ auth: { roleArn: "arn:aws:iam::123456789012:role/ebb-prod" } });
    expect(asked).toEqual(["prod eu-central-1 ASSUMED"]);
  });

  test("as AWS says, asked once for many tokens", async () => {
    let now = Date.UTC(2026, 2, 1, 12);
    const { cluster } = await ask({ now: () => now });
    now += 600_000;
    await cluster.getScale(web, soon());
    expect(new Set(own.received.map(({ headers }) => headers.authorization)).size).toBe(2);
    expect(asked).toEqual(["prod eu-central-1 AKID"]);
  });

  test("and a CA that AWS says and that is none is named", async () => {
    described = { ...described, certificateAuthorityData: "x" };
    await expect(ask({})).rejects.toThrow("the CA of EKS cluster prod in eu-central-1: expected base64 of a PEM");
  });

  test("asked again when the cluster refuses the token", async () => {
    const { cluster } = await ask({});
    own.reply = (_request, response) => json(response, 401, {});
    await expect(cluster.getScale(web, soon())).rejects.toMatchObject({ kind: "unauthorized" });
    expect(asked.length).toBe(2);
  });

  test.each([
    ["another endpoint", () => ({ endpoint: stranger.url }), "endpoint"],
    ["another path", () => ({ endpoint: `${own.url}/k8s` }), "endpoint"],
  ])("and not to %s", async (_name, given, field) => {
    const origin = "EKS cluster prod in eu-central-1";
    await expect(ask(given())).rejects.toMatchObject({
      kind: "badEntry",
      message: `spec.${field}: expected the one of ${origin}, got another; correct the entry, or ${origin} if the entry is right`,
    });
    expect([own.received, stranger.connections]).toEqual([[], 0]);
  });

  test("and nowhere without the right to describe the cluster: there is no way around it", async () => {
    refusal = new Fault("forbidden", "EKS cluster prod in eu-central-1: access denied");
    await expect(ask({})).rejects.toMatchObject({ kind: "forbidden" });
    expect([own.received, stranger.received]).toEqual([[], []]);
  });

  test("and not to a server with another CA", async () => {
    await expect(ask({ ca: (await makeCertificates()).ca })).rejects.toThrow(
      /^spec\.certificateAuthorityData: expected/,
    );
    expect(own.received).toEqual([]);
  });

  test("and not for another entry, even with the right endpoint", async () => {
    await expect(ask({ name: "x" })).rejects.toMatchObject({
      kind: "badEntry",
      message:
        "auth.clusterName: EKS cluster prod in eu-central-1 is not for this entry: expected the entry's name to be the cluster's, or its tag ebb.dev/cluster to be x",
    });
    expect(own.received).toEqual([]);
  });

  test("the cluster's tag names its one entry", async () => {
    described = { ...described, tags: { "ebb.dev/cluster": "prod-eu" } };
    expect((await ask({ name: "prod-eu" })).scale.spec.replicas).toBe(3);
    await expect(ask({ name: "prod" })).rejects.toMatchObject({ kind: "badEntry" });
  });

  test.each([
    ["region", { region: "evil.example/#" }],
    ["region", { region: "eu-central-1.evil.example" }],
    ["region", { region: "" }],
    ["clusterName", { clusterName: ".." }],
    ["clusterName", { clusterName: "prod?x=/" }],
  ])("a %s that AWS does not have is refused before anything is asked: %j", async (field, auth) => {
    await expect(ask({ auth })).rejects.toMatchObject({
      kind: "badEntry",
      message: expect.stringContaining(`auth.${field}: expected`) as string,
    });
    expect(asked).toEqual([]);
  });

  test("a name that is no valid external id cannot use a role", async () => {
    const auth = { roleArn: "arn:aws:iam::123456789012:role/ebb-prod" };
    await expect(ask({ name: "a b", auth })).rejects.toThrow(
      /^auth\.roleArn: expected an entry's name of letters, digits and /,
    );
  });
});

describe("DescribeCluster", () => {
  const before = { ...process.env };
  let eks: TestServer;
  const answer = {
    cluster: { name: "prod", endpoint: "https://a.example", certificateAuthority: { data: "Q0E=" }, tags: { a: "b" } },
  };

  beforeEach(async () => {
    eks = await startServer((_request, response) => json(response, 200, answer));
    process.env["AWS_ENDPOINT_URL"] = eks.url;
  });
  afterEach(async () => {
    process.env = { ...before };
    await eks.stop().catch(() => undefined);
  });

  test("is one signed GET", async () => {
    expect(await describeEks(prod, credentials, soon())).toEqual({
      endpoint: "https://a.example",
      certificateAuthorityData: "Q0E=",
      tags: { a: "b" },
    });
    expect(eks.received).toHaveLength(1);
    const [{ method, url, headers } = {} as never] = eks.received;
    expect([method, url, headers.host]).toEqual(["GET", "/clusters/prod", new URL(eks.url).host]);
    expect(headers["x-amz-security-token"]).toBe("s3ss10n");
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/eks\/aws4_request, SignedHeaders=host;[\w;-]+, Signature=[0-9a-f]{64}$/,
    );
  });

  test.each([
    [403, "AccessDeniedException", "forbidden", "access denied, the role needs eks:DescribeCluster"],
    [404, "ResourceNotFoundException", "notFound", "not found by eks:DescribeCluster (ResourceNotFoundException)"],
    [429, "TooManyRequestsException", "throttled", "eks:DescribeCluster was throttled"],
    [403, "UnrecognizedClientException", "unauthorized", "credentials not accepted for eks:DescribeCluster"],
    [500, "ServerException", "badAnswer", "expected an answer to eks:DescribeCluster, got HTTP 500"],
  ])("%i %s is %s", async (status, name, kind, message) => {
    eks.reply = (_request, response) =>
      json(response, status, { message: "the service's words" }, { "x-amzn-errortype": `${name}:http://x/` });
    await expect(describeEks(prod, credentials, soon())).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(`EKS cluster prod in eu-central-1: ${message}`) as string,
    });
  });

  test("is asked once more when AWS throttles it", async () => {
    eks.reply = (_request, response) => {
      if (eks.received.length > 1) return json(response, 200, answer);
      json(response, 429, {}, { "x-amzn-errortype": "TooManyRequestsException" });
    };
    expect(await describeEks(prod, credentials, soon())).toMatchObject({ endpoint: "https://a.example" });
    expect(eks.received).toHaveLength(2);
  });

  test("is asked twice at most", async () => {
    eks.reply = (_request, response) => json(response, 429, {}, { "x-amzn-errortype": "TooManyRequestsException" });
    await expect(describeEks(prod, credentials, soon())).rejects.toMatchObject({ kind: "throttled", part: "eks" });
    expect(eks.received).toHaveLength(2);
  });

  test.each([
    ["HTML", "<html>"],
    ["no endpoint", '{"cluster":{"certificateAuthority":{"data":"Q0E="}}}'],
    ["an empty object", "{}"],
    ["no CA", '{"cluster":{"endpoint":"https://a.example"}}'],
    ["no URL", '{"cluster":{"endpoint":"a","certificateAuthority":{"data":"Q0E="}}}'],
    ["null", "null"],
  ])("%s is no answer, and not shown", async (_name, body) => {
    eks.reply = (_request, response) => response.end(body);
    await expect(describeEks(prod, credentials, soon())).rejects.toMatchObject({
      kind: "badAnswer",
      message:
        "EKS cluster prod in eu-central-1: expected its endpoint and certificate authority from eks:DescribeCluster",
    });
  });

  test("a redirect is not followed", async () => {
    const stranger = await startServer((_request, response) => json(response, 200, answer));
    eks.reply = (_request, response) => response.writeHead(307, { location: stranger.url }).end();
    await expect(describeEks(prod, credentials, soon())).rejects.toMatchObject({ kind: "badAnswer" });
    expect(stranger.connections).toBe(0);
    await stranger.stop();
  });

  test("an endpoint that nobody serves is unreachable", async () => {
    await eks.stop();
    await expect(describeEks(prod, credentials, soon())).rejects.toMatchObject({ kind: "unreachable" });
  });

  test("the caller's signal ends it", async () => {
    const caller = new AbortController();
    eks.reply = () => caller.abort(new Error("the deadline of this sync"));
    await expect(describeEks(prod, credentials, caller.signal)).rejects.toMatchObject({ kind: "timeout" });
  });
});
