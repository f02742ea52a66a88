import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import type { EpochMs } from "../../k8s/time";
import type { AwsCredentials } from "../../aws/credentials";
import { awsHost } from "../../aws/endpoint";
import { Sha256 } from "../../aws/sha256";

/** The cluster's webhook refuses a token after 15 minutes. Clocks may differ by minutes. */
const KEEP_MS = 600_000;
/** A token is valid at most as long as the credentials that signed it. */
const EXPIRY_MARGIN_MS = 60_000;
/** The X-Amz-Expires that the webhook expects. A token's age counts from X-Amz-Date. */
const URL_EXPIRES_SECONDS = 60;

/**
 * A presigned GetCallerIdentity with the cluster's name as a signed header. The cluster's webhook sends it to find the
 * signer. https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
 */
export async function eksToken(
  cluster: { readonly clusterName: string; readonly region: string },
  credentials: AwsCredentials,
  now: EpochMs,
): Promise<{ readonly token: string; readonly until: EpochMs }> {
  const { clusterName, region } = cluster;
  const hostname = awsHost("sts", region);
  const signer = new SignatureV4({ service: "sts", region, credentials, sha256: Sha256 });
  const request = new HttpRequest({
    method: "GET",
    protocol: "https:",
    hostname,
    path: "/",
    query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
    headers: { host: hostname, "x-k8s-aws-id": clusterName },
  });
  const signed = await signer.presign(request, { expiresIn: URL_EXPIRES_SECONDS, signingDate: new Date(now) });
  const query = Object.entries(signed.query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  const url = `https://${hostname}/?${query.join("&")}`;
  const expiry = credentials.expiration?.getTime() ?? Infinity;
  return {
    token: `k8s-aws-v1.${Buffer.from(url, "utf8").toString("base64url")}`,
    until: Math.min(now + KEEP_MS, expiry - EXPIRY_MARGIN_MS),
  };
}

/** RFC 3986, as SigV4 requires: encodeURIComponent leaves !'()* as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
