import type { Readable } from "node:stream";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import { parseMap } from "../k8s/map";
import type { AwsCredentials } from "./credentials";
import { awsHost } from "./endpoint";
import { answerBytes, readAnswer, ownConnections } from "./sdk/bounded-answers";
import { Sha256 } from "./sha256";

export interface SignedGet {
  /** In the host, the signature, and AWS_ENDPOINT_URL_EKS. */
  readonly service: "eks" | "lambda";
  readonly region: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

const handler = new NodeHttpHandler({
  ...{ connectionTimeout: 3_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  ...ownConnections(50),
});

/**
 * Uses the signer of EKS tokens: the SDK's clients would add 300 KB each to the bundle. Follows no redirect. Rejects
 * like the SDK.
 */
export async function signedGet(
  request: SignedGet,
  credentials: AwsCredentials,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { response } = await handler.handle(await signed(request, credentials), { abortSignal: signal });
  const text = new TextDecoder().decode(await readAnswer(response.body as Readable, answerBytes[request.service]));
  const body = parseMap(text) ?? {};
  const { statusCode } = response;
  if (statusCode === 200) return body;
  throw Object.assign(new Error(typeof body["message"] === "string" ? body["message"] : ""), {
    name: (response.headers["x-amzn-errortype"] ?? "").split(":")[0],
    $fault: statusCode >= 400 && statusCode < 500 ? "client" : "server",
    $metadata: { httpStatusCode: statusCode, requestId: response.headers["x-amzn-requestid"] },
  });
}

export function endpointGiven(service: SignedGet["service"]): string | undefined {
  return process.env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? process.env["AWS_ENDPOINT_URL"];
}

async function signed({ service, region, path, query }: SignedGet, credentials: AwsCredentials) {
  const { protocol, hostname, port } = new URL(endpointGiven(service) ?? `https://${awsHost(service, region)}`);
  const request = new HttpRequest({
    ...{ method: "GET", protocol, hostname, path },
    ...(query && { query }),
    ...(port !== "" && { port: Number(port) }),
    headers: { host: port === "" ? hostname : `${hostname}:${port}` },
  });
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  return Object.assign(request, { headers: (await signer.sign(request)).headers });
}
