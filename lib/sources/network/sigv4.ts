import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AwsCredentialProvider } from "../../aws/credentials";
import { sdkErrorOf, serviceWords } from "../../aws/fault";
import { Sha256 } from "../../aws/sha256";
import type { EpochMs } from "../../k8s/time";
import { Fault } from "../../model/fault";
import type { Call } from "../../net/exchange";

export interface Sigv4 {
  readonly region: string;
  readonly service: string;
}

type Signed = Pick<Call, "method" | "path" | "headers" | "body">;

interface Signing extends Sigv4 {
  readonly url: URL;
  readonly credentials: AwsCredentialProvider;
  readonly now: EpochMs;
}

/** Rejects with a Fault "unauthorized" if there are no credentials. */
export async function sign(
  { method, path, headers, body }: Signed,
  { region, service, url, credentials: provider, now }: Signing,
): Promise<Readonly<Record<string, string>>> {
  const credentials = await provider().catch((error: unknown) => {
    const why = serviceWords(sdkErrorOf(error));
    throw new Fault("unauthorized", `expected AWS credentials to sign with: ${why}`, { lack: "credentials" });
  });
  const whole = new URL(`${url.href.replace(/\/+$/, "")}${path}`);
  const request = new HttpRequest({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: whole.pathname,
    query: Object.fromEntries(whole.searchParams),
    headers: { ...headers, host: url.host },
    ...(body !== undefined && { body }),
  });
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  return (await signer.sign(request, { signingDate: new Date(now) })).headers;
}
