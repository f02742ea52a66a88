import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AwsCredentialProvider } from "../../aws/credentials";
import { sdkErrorOf, serviceWords } from "../../aws/fault";
import { Sha256 } from "../../aws/sha256";
import { Fault } from "../../model/fault";

/** Peers with this role get a token of this process's AWS role. */
export const awsIamRole = "aws-iam";

const broker = /\.kafka(?:-serverless)?\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?$/;

/** Undefined: not Amazon MSK. */
export function regionOfBroker(host: string): string | undefined {
  return broker.exec(host)?.[1];
}

const expirySeconds = 900;

/** A presigned request: https://github.com/aws/aws-msk-iam-sasl-signer-js */
export async function mskToken(host: string, provider: AwsCredentialProvider, now: Date): Promise<string> {
  const region = regionOfBroker(host);
  if (region === undefined) throw new Fault("badEntry", `expected a broker of Amazon MSK, got ${host}`);
  const credentials = await provider().catch((error: unknown) => {
    const why = serviceWords(sdkErrorOf(error));
    throw new Fault("unauthorized", `expected AWS credentials to sign with: ${why}`, { lack: "credentials" });
  });
  const hostname = `kafka.${region}.amazonaws.com`;
  const signer = new SignatureV4({ service: "kafka-cluster", region, credentials, sha256: Sha256 });
  const request = new HttpRequest({
    method: "GET",
    protocol: "https:",
    hostname,
    path: "/",
    query: { Action: "kafka-cluster:Connect" },
    headers: { host: hostname },
  });
  const { query = {} } = await signer.presign(request, { expiresIn: expirySeconds, signingDate: now });
  const pairs = Object.entries({ ...query, "User-Agent": "ebb" });
  const search = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return Buffer.from(`https://${hostname}/?${search.join("&")}`).toString("base64url");
}
