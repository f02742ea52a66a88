import type { Readable } from "node:stream";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import { answerBytes, readAnswer } from "../../aws/sdk/bounded-answers";
import { ownConnections } from "../../aws/sdk/own-connections";
import { callAws } from "../../aws/call";
import { openRetries } from "../../aws/json/retries";
import { Sha256 } from "../../aws/sha256";
import { pause } from "../../async/within-time";
import { isMap, parseMap } from "../../k8s/map";
import type { ClusterAuth } from "../../model/entry/entries";
import { Fault, isFault } from "../../model/fault";
import { readCertificateAuthority } from "../../http/endpoint";
import { type Claim, requireSameEndpoint } from "../../secrets/binding";
import type { AwsCredentials } from "../../aws/credentials";
import { awsHost } from "../../aws/endpoint";

type EksAuth = Extract<ClusterAuth, { type: "eks" }>;

/** What AWS says about an EKS cluster. */
export interface EksCluster {
  readonly endpoint: string;
  readonly certificateAuthorityData: string;
  readonly tags: Readonly<Record<string, unknown>>;
}

/** Asks AWS about a cluster, with the credentials that would sign its token. Rejects with a Fault. */
export type DescribeEks = (
  cluster: Pick<EksAuth, "clusterName" | "region">,
  credentials: AwsCredentials,
  signal: AbortSignal,
) => Promise<EksCluster>;

/** The tag of an EKS cluster that names its entry, if the entry has another name. */
const ownerTag = "ebb.dev/cluster";

/** Both become part of an address. */
const regionForm = /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/;
const clusterForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const externalIdForm = /^[\w+=,.@:/-]+$/;

/** Throws Fault "badEntry" for names that AWS does not give, before any of them is sent. */
export function requireEksNames({ clusterName, region, roleArn }: EksAuth, cluster: string): void {
  const bad = (field: string, expected: string) => new Fault("badEntry", `auth.${field}: expected ${expected}`);
  if (!regionForm.test(region)) throw bad("region", "an AWS region such as eu-central-1, got another text");
  if (!clusterForm.test(clusterName)) throw bad("clusterName", "an EKS cluster's name, got another text");
  if (roleArn !== undefined && !externalIdForm.test(cluster))
    throw bad(
      "roleArn",
      "an entry's name of letters, digits and _+=,.@:/- only, because the role's external id contains it",
    );
}

/** What ebb sends as ExternalId for an entry. */
export function externalIdOf(cluster: string): string {
  return `ebb/${cluster}`;
}

/**
 * Throws Fault "badEntry" unless the EKS cluster is this entry's, and the entry's connection goes to it. Without the
 * tag, the entry has the cluster's own name.
 */
export function requireEksCluster({ clusterName, region }: EksAuth, claim: Claim, eks: EksCluster): void {
  const origin = `EKS cluster ${clusterName} in ${region}`;
  const owner = eks.tags[ownerTag] ?? clusterName;
  if (owner !== claim.cluster)
    throw new Fault(
      "badEntry",
      `auth.clusterName: ${origin} is not for this entry: expected the entry's name to be the cluster's, or its tag ${ownerTag} to be ${claim.cluster}`,
    );
  const certificateAuthority = readCertificateAuthority(eks.certificateAuthorityData, `the CA of ${origin}`);
  requireSameEndpoint(claim.endpoint, { url: new URL(eks.endpoint), certificateAuthority }, origin);
}

const handler = new NodeHttpHandler({
  ...{ connectionTimeout: 3_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  ...ownConnections(50),
});

/**
 * EKS DescribeCluster. One GET, with the signer that makes the tokens: the SDK's client would add 300 KB to the bundle.
 * It follows no redirect. AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_EKS apply, as in the SDK.
 */
export const describeEks: DescribeEks = async ({ clusterName, region }, credentials, signal) => {
  const asked = `EKS cluster ${clusterName} in ${region}`;
  // The API has few requests a second for a whole account, so that a fleet's first slot meets its limit.
  const retries = openRetries(2);
  return callAws({ action: "eks:DescribeCluster", asked, part: "eks", signal }, async (limit) => {
    for (let attempts = 1; ; attempts++) {
      try {
        return readCluster(await describeOnce({ clusterName, region }, credentials, limit), asked);
      } catch (error) {
        const delayMs = isFault(error) ? undefined : retries.delayMs(error, attempts);
        if (delayMs === undefined) throw error;
        await pause(delayMs, limit);
      }
    }
  });
};

/** What AWS calls `cluster`. Rejects as the SDK does. */
async function describeOnce(
  { clusterName, region }: Parameters<DescribeEks>[0],
  credentials: AwsCredentials,
  signal: AbortSignal,
): Promise<unknown> {
  const request = await signed({ clusterName, region }, credentials);
  const { response } = await handler.handle(request, { abortSignal: signal });
  const text = new TextDecoder().decode(await readAnswer(response.body as Readable, answerBytes.eks));
  const body = parseMap(text) ?? {};
  const { statusCode } = response;
  if (statusCode === 200) return body["cluster"];
  throw Object.assign(new Error(typeof body["message"] === "string" ? body["message"] : ""), {
    name: (response.headers["x-amzn-errortype"] ?? "").split(":")[0],
    $fault: statusCode >= 400 && statusCode < 500 ? "client" : "server",
    $metadata: { httpStatusCode: statusCode, requestId: response.headers["x-amzn-requestid"] },
  });
}

async function signed({ clusterName, region }: Parameters<DescribeEks>[0], credentials: AwsCredentials) {
  const given = process.env["AWS_ENDPOINT_URL_EKS"] ?? process.env["AWS_ENDPOINT_URL"];
  const { protocol, hostname, port } = new URL(given ?? `https://${awsHost("eks", region)}`);
  const request = new HttpRequest({
    method: "GET",
    protocol,
    hostname,
    ...(port !== "" && { port: Number(port) }),
    path: `/clusters/${clusterName}`,
    headers: { host: port === "" ? hostname : `${hostname}:${port}` },
  });
  const signer = new SignatureV4({ service: "eks", region, credentials, sha256: Sha256 });
  return Object.assign(request, { headers: (await signer.sign(request)).headers });
}

function readCluster(cluster: unknown, asked: string): EksCluster {
  const { endpoint, certificateAuthority, tags } = isMap(cluster) ? cluster : {};
  const data = isMap(certificateAuthority) ? certificateAuthority["data"] : undefined;
  if (typeof endpoint !== "string" || !URL.canParse(endpoint) || typeof data !== "string")
    throw new Fault("badAnswer", `${asked}: expected its endpoint and certificate authority from eks:DescribeCluster`);
  return { endpoint, certificateAuthorityData: data, tags: isMap(tags) ? tags : {} };
}
