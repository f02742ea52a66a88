import { createHash, createHmac } from "node:crypto";
import { assumeRole } from "../../../lib/cluster/auth/assume-role";
import type { AwsCredentials } from "../../../lib/aws/credentials";
import { eksToken } from "../../../lib/cluster/auth/authenticators";
import type { EksCluster } from "../../../lib/cluster/auth/eks-cluster";
import { base64, makeCertificates } from "../certificates";
import { discovering, json, scale, startServer, type TestServer } from "../api-server";
import { clustersWith, entry, soon, web } from "../connect";

const noon = Date.UTC(2026, 2, 1, 12);
const credentials: AwsCredentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "session/token+with=signs",
};
const cluster = { clusterName: "prod-1", region: "eu-central-1" };

const decode = (token: string) =>
  new URL(Buffer.from(token.replace(/^k8s-aws-v1\./, ""), "base64url").toString("utf8"));
const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest();

/**
 * SigV4's signature of a presigned GET, from the standard alone (no SDK): sorted query, host and x-k8s-aws-id, empty
 * body.
 */
function signatureOf(url: URL, clusterName: string, secret: string): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  const canonical = [
    "GET",
    "/",
    query,
    `host:${url.host}`,
    `x-k8s-aws-id:${clusterName}`,
    "",
    "host;x-k8s-aws-id",
    createHash("sha256").update("").digest("hex"),
  ].join("\n");
  const date = url.searchParams.get("X-Amz-Date") ?? "";
  const scope = (url.searchParams.get("X-Amz-Credential") ?? "").split("/").slice(1);
  const text = ["AWS4-HMAC-SHA256", date, scope.join("/"), createHash("sha256").update(canonical).digest("hex")].join(
    "\n",
  );
  const key = scope.reduce<Buffer | string>((signing, part) => hmac(signing, part), `AWS4${secret}`);
  return hmac(key, text).toString("hex");
}

describe("an EKS token", () => {
  test("is a presigned GetCallerIdentity in base64url without padding", async () => {
    const { token } = await eksToken(cluster, credentials, noon);
    expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
    const url = decode(token);
    expect(url.origin + url.pathname).toBe("https://sts.eu-central-1.amazonaws.com/");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: "GetCallerIdentity",
      Version: "2011-06-15",
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "AKIDEXAMPLE/20260301/eu-central-1/sts/aws4_request",
      "X-Amz-Date": "20260301T120000Z",
      "X-Amz-Expires": "60",
      "X-Amz-Security-Token": "session/token+with=signs",
      "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
      "X-Amz-Signature": expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  test.each([
    ["with a session token", credentials],
    ["without", { accessKeyId: "AKID", secretAccessKey: "secret" }],
  ])("its signature is SigV4's, %s, and binds the cluster's name", async (_name, signer) => {
    const url = decode((await eksToken(cluster, signer, noon)).token);
    expect(url.searchParams.get("X-Amz-Signature")).toBe(signatureOf(url, "prod-1", signer.secretAccessKey));
    expect(url.searchParams.get("X-Amz-Signature")).not.toBe(signatureOf(url, "prod-2", signer.secretAccessKey));
  });

  test.each([
    ["us-east-1", "sts.us-east-1.amazonaws.com"],
    ["us-gov-west-1", "sts.us-gov-west-1.amazonaws.com"],
    ["cn-north-1", "sts.cn-north-1.amazonaws.com.cn"],
    ["us-iso-east-1", "sts.us-iso-east-1.c2s.ic.gov"],
    ["us-isob-east-1", "sts.us-isob-east-1.sc2s.sgov.gov"],
    ["eusc-de-east-1", "sts.eusc-de-east-1.amazonaws.eu"],
  ])("in %s comes from %s", async (region, host) => {
    expect(decode((await eksToken({ ...cluster, region }, credentials, noon)).token).host).toBe(host);
  });

  test.each([
    ["ten minutes, for credentials that do not expire", undefined, noon + 600_000],
    ["ten minutes, when the credentials last longer", new Date(noon + 3_600_000), noon + 600_000],
    ["until a minute before its credentials expire", new Date(noon + 300_000), noon + 240_000],
  ])("is used %s", async (_name, expiration, until) => {
    const signer = { ...credentials, ...(expiration === undefined ? {} : { expiration }) };
    expect((await eksToken(cluster, signer, noon)).until).toBe(until);
  });
});

describe("a cluster with EKS auth", () => {
  let certificates: Awaited<ReturnType<typeof makeCertificates>>;
  let server: TestServer;
  let now: number;
  let described: EksCluster;
  const opened: { close(): void }[] = [];
  const open = (deps: Parameters<typeof clustersWith>[0], auth: { roleArn?: string } = {}) => {
    const clusters = clustersWith({ now: () => now, describeEks: () => Promise.resolve(described), ...deps });
    opened.push(clusters);
    const { certificateAuthorityData } = described;
    const spec = { certificateAuthorityData, auth: { type: "eks", ...cluster, ...auth } } as const;
    return clusters.connect({ ...entry(server.url, spec), name: "prod-1" }, soon());
  };
  const lastToken = () => (server.received.at(-1)?.headers.authorization ?? "").replace("Bearer ", "");

  beforeAll(async () => {
    certificates = await makeCertificates();
  });
  beforeEach(async () => {
    now = noon;
    server = await startServer(
      discovering((_request, response) => json(response, 200, scale(3))),
      certificates.server,
    );
    described = { endpoint: server.url, certificateAuthorityData: base64(certificates.ca), tags: {} };
  });
  afterEach(async () => {
    opened.splice(0).forEach((clusters) => clusters.close());
    await server.stop();
  });

  test("signs once for many requests and again after ten minutes", async () => {
    const connection = await open({ awsCredentials: () => Promise.resolve(credentials) });
    await connection.getScale(web, soon());
    const first = lastToken();
    now += 599_999;
    await connection.getScale(web, soon());
    expect(lastToken()).toBe(first);
    now += 1;
    await connection.getScale(web, soon());
    expect(decode(lastToken()).searchParams.get("X-Amz-Date")).toBe("20260301T121000Z");
  });

  test("signs again after a 401", async () => {
    const connection = await open({ awsCredentials: () => Promise.resolve(credentials) });
    await connection.getScale(web, soon());
    const refused = lastToken();
    now += 1_000;
    server.reply = ({ headers }, response) =>
      headers.authorization === `Bearer ${refused}` ? json(response, 401, {}) : json(response, 200, scale(4));
    expect((await connection.getScale(web, soon())).spec.replicas).toBe(4);
  });

  test("sends STS the external id, which the role's trust policy requires, and asks once more when STS throttles", async () => {
    const key = "<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey>";
    const more = "<SessionToken>t</SessionToken><Expiration>2036-01-01T00:00:00Z</Expiration></Credentials>";
    const result = `<AssumeRoleResponse><AssumeRoleResult>${key}${more}</AssumeRoleResult></AssumeRoleResponse>`;
    const throttled = "<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code></Error></ErrorResponse>";
    const sts = await startServer((_request, response) => {
      const isFirst = sts.received.length < 2;
      response.writeHead(isFirst ? 400 : 200, { "content-type": "text/xml" }).end(isFirst ? throttled : result);
    });
    const before = process.env["AWS_ENDPOINT_URL_STS"];
    process.env["AWS_ENDPOINT_URL_STS"] = sts.url;
    try {
      const roleArn = "arn:aws:iam::123456789012:role/ebb";
      const role = { roleArn, region: "eu-central-1", externalId: "ebb/prod-1" };
      await assumeRole(role, () => Promise.resolve(credentials))();
      const asked = expect.objectContaining({
        Action: "AssumeRole",
        RoleArn: roleArn,
        ExternalId: "ebb/prod-1",
      }) as object;
      const bodies = sts.received.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
      expect(bodies).toEqual([asked, asked]);
    } finally {
      if (before === undefined) delete process.env["AWS_ENDPOINT_URL_STS"];
      else process.env["AWS_ENDPOINT_URL_STS"] = before;
      await sts.stop();
    }
  });

  test("assumes the entry's role in the cluster's region, and again after a 401", async () => {
    const assumed: string[] = [];
    const roleArn = "arn:aws:iam::123456789012:role/ebb";
    const connection = await open(
      {
        awsCredentials: () => Promise.resolve(credentials),
        assumeRole: ({ roleArn: role, region, externalId }, base) => {
          assumed.push(`${role} ${region} ${externalId}`);
          return async () => ({ ...(await base()), accessKeyId: `ASSUMED${assumed.length}` });
        },
      },
      { roleArn },
    );
    await connection.getScale(web, soon());
    await connection.getScale(web, soon());
    expect(assumed).toEqual([`${roleArn} eu-central-1 ebb/prod-1`]);
    expect(decode(lastToken()).searchParams.get("X-Amz-Credential")).toMatch(/^ASSUMED1\//);
    server.reply = ({ headers }, response) =>
      json(response, decode((headers.authorization ?? "").slice(7)).search.includes("ASSUMED1") ? 401 : 200, scale(4));
    await connection.getScale(web, soon());
    expect(assumed).toHaveLength(2);
  });

  test("without AWS credentials is unauthorized, and says so", async () => {
    const connection = await open({
      awsCredentials: () => Promise.reject(Object.assign(new Error("hunter2"), { name: "CredentialsProviderError" })),
    });
    await expect(connection.getScale(web, soon())).rejects.toMatchObject({
      ...{ kind: "unauthorized", lack: "credentials", part: "eks" },
      message: "EKS cluster prod-1: expected AWS credentials: CredentialsProviderError",
    });
  });

  test("without a role's credentials names the role", async () => {
    const roleArn = "arn:aws:iam::123456789012:role/ebb";
    const refused = () => Promise.reject(Object.assign(new Error("hunter2"), { name: "AccessDenied" }));
    const connection = await open(
      { awsCredentials: () => Promise.resolve(credentials), assumeRole: () => refused },
      { roleArn },
    );
    await expect(connection.getScale(web, soon())).rejects.toThrow(
      `EKS cluster prod-1: expected AWS credentials of role ${roleArn}: AccessDenied`,
    );
  });

  test("whose credentials come after the end of the run has run out of time", async () => {
    const run = new AbortController();
    const connection = await open({
      awsCredentials() {
        run.abort(new Error("the slot's time is up"));
        return Promise.reject(new Error("stopped"));
      },
    });
    await expect(connection.getScale(web, run.signal)).rejects.toMatchObject({ kind: "timeout" });
  });
});
