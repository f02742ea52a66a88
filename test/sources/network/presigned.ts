import { createHash, createHmac } from "node:crypto";

/** What a service of AWS knows when somebody shows it a presigned request. */
export interface Verifier {
  readonly service: string;
  readonly region: string;
  readonly host: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string };
  readonly now: number;
  /** Parameters that are added after signing. */
  readonly unsigned?: readonly string[];
}

/**
 * Why a service refuses a presigned GET, undefined if it takes it: recomputes the signature by AWS's documented steps,
 * over the query as it arrives. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function refusalOf(url: string, { service, region, host, keys, now, unsigned = [] }: Verifier) {
  const [before = "", query = ""] = url.split("?");
  if (before !== `https://${host}/`) return `expected https://${host}/, got ${before}`;
  const pairs = query.split("&").filter((pair) => !unsigned.some((name) => pair.startsWith(`${name}=`)));
  const given = new URLSearchParams(query);
  const time = given.get("X-Amz-Date") ?? "";
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  if (given.get("X-Amz-Credential") !== `${keys.accessKeyId}/${scope}`) return "another credential or scope";
  if (given.get("X-Amz-Security-Token") !== (keys.sessionToken ?? null)) return "another session";
  if (given.get("X-Amz-SignedHeaders") !== "host") return "other headers";
  const iso = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  const age = (now - Date.parse(iso)) / 1000;
  if (!(age >= -300 && age <= Number(given.get("X-Amz-Expires")))) return `signed ${age} s ago`;
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const signed = pairs.filter((pair) => !pair.startsWith("X-Amz-Signature=")).sort();
  const canonical = ["GET", "/", signed.join("&"), `host:${host}`, "", "host", hash("")].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, hash(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  return given.get("X-Amz-Signature") === hmac(key, toSign).toString("hex") ? undefined : "another signature";
}
