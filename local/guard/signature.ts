import { createHash, createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import { Sha256 } from "../../lib/aws/sha256";
import { isSame } from "../../lib/secrets/same-secret";

export const localRegion = "us-east-1";

const skewMs = 5 * 60_000;

export interface Refusal {
  readonly name: string;
  readonly message: string;
}

/** From the Authorization header, checked as far as possible without the body. */
interface Claim {
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

type Request = Pick<IncomingMessage, "headers" | "method" | "url">;

export interface SignatureCheck {
  /** Before a stranger's body is read. */
  begin(request: Request): { readonly claim: Claim } | { readonly refused: Refusal };
  /** Undefined: accepted. AWS accepts a repeated request, too. */
  finish(request: Request, body: Buffer, claim: Claim): Promise<Refusal | undefined>;
}

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8}\/[\w-]+\/[\w-]+\/\w+), ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;

/**
 * Checks Signature Version 4. boto3 and the AWS CLI sign equal requests of a second equally, so a repeated signature is
 * no replay (docs/decisions/0022).
 */
export function signatureCheck(
  service: "dynamodb" | "sqs",
  credential: LocalCredential,
  now: () => number,
): SignatureCheck {
  const signer = new SignatureV4({
    ...{ service, region: localRegion, credentials: credential, sha256: Sha256 },
    applyChecksum: false,
  });

  return {
    begin({ headers }) {
      const given = headers.authorization;
      if (given === undefined)
        return refuse("MissingAuthenticationToken", "expected an Authorization header, got none");
      const [, accessKeyId = "", scope = "", names = "", signature = ""] = authorization.exec(given) ?? [];
      if (signature === "") return refuse("IncompleteSignature", "expected Authorization of AWS4-HMAC-SHA256");
      if (!isSame(accessKeyId, credential.accessKeyId))
        return refuse("UnrecognizedClient", "expected the access key of this `ebb start`, got another");
      const date = headers["x-amz-date"];
      const at = typeof date === "string" ? timeOf(date) : undefined;
      if (typeof date !== "string" || at === undefined || Math.abs(now() - at) > skewMs)
        return refuse("InvalidSignature", `expected X-Amz-Date within ${skewMs / 60_000} minutes of this clock`);
      const expected = `${date.slice(0, 8)}/${localRegion}/${service}/aws4_request`;
      if (scope !== expected) return refuse("InvalidSignature", `expected the credential's scope ${expected}`);
      const signedHeaders = names.split(";");
      const unsigned = Object.keys(headers).find(
        (name) => (name === "host" || name.startsWith("x-amz-")) && !signedHeaders.includes(name),
      );
      if (unsigned !== undefined) return refuse("InvalidSignature", `expected the header ${unsigned} to be signed`);
      return { claim: { date, signedHeaders, signature } };
    },

    async finish(request, body, { date, signedHeaders, signature }) {
      const { headers } = request;
      const bodyHash = createHash("sha256").update(body).digest("hex");
      const givenHash = headers["x-amz-content-sha256"];
      if (givenHash !== undefined && givenHash !== bodyHash)
        return refuse("InvalidSignature", "expected the body that X-Amz-Content-Sha256 describes, got another").refused;
      const signedAt = timeOf(date) ?? 0;
      const signed = Object.fromEntries(signedHeaders.map((name) => [name, String(headers[name] ?? "")]));
      const again = await signer.sign(requestOf(request, { ...signed, [hashHeader]: bodyHash }), {
        signingDate: new Date(signedAt),
        signableHeaders: new Set(signedHeaders),
        unsignableHeaders: new Set(signedHeaders.includes(hashHeader) ? [] : [hashHeader]),
      });
      const expected = authorization.exec(again.headers["authorization"] ?? "")?.[4] ?? "";
      if (expected === "" || !isSame(signature, expected))
        return refuse("InvalidSignature", "expected a signature with this `ebb start`'s secret key, got another")
          .refused;
      return undefined;
    },
  };
}

const hashHeader = "x-amz-content-sha256";

function requestOf({ method = "GET", url = "/" }: Request, headers: Record<string, string>): HttpRequest {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  return new HttpRequest({ method, path: pathname, query: Object.fromEntries(searchParams), headers });
}

function refuse(name: string, message: string): { readonly refused: Refusal } {
  return { refused: { name: `${name}Exception`, message } };
}

function timeOf(date: string): number | undefined {
  const [, day, time] = /^(\d{8})T(\d{6})Z$/.exec(date) ?? [];
  if (day === undefined || time === undefined) return undefined;
  const at = Date.parse(day.replace(/(....)(..)(..)/, "$1-$2-$3T") + time.replace(/(..)(..)(..)/, "$1:$2:$3Z"));
  return Number.isNaN(at) ? undefined : at;
}

export interface LocalCredential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** So that a search for secrets finds generated ones. */
export const secretMark = "ebbsecret";

/** 240 random bits that need no quoting. */
export function newSecret(): string {
  return `${secretMark}${randomBytes(30).toString("base64url")}`;
}

export function newCredential(): LocalCredential {
  return {
    accessKeyId: `EBB${randomBytes(10).toString("hex")}`,
    secretAccessKey: newSecret(),
  };
}

export function proofOf({ secretAccessKey }: LocalCredential, nonce: string): string {
  return createHmac("sha256", secretAccessKey).update(`ebb proof ${nonce}`).digest("hex");
}
