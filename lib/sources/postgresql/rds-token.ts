import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import type { SignatureV4Init } from "@smithy/signature-v4";
import { Sha256 } from "../../aws/sha256";
import type { EpochMs } from "../../k8s/time";
import type { Peer } from "../network/peer";

export type ReadCredentials = (
  region: string,
) => Promise<Extract<SignatureV4Init["credentials"], { accessKeyId: string }>>;

/** RDS accepts a token for 15 minutes. */
const expiresIn = 900;

/** https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.IAMDBAuth.Connecting.html */
export async function rdsToken(
  { host, port }: Peer,
  { username, region }: { readonly username: string; readonly region: string },
  { credentials, now }: { readonly credentials: ReadCredentials; readonly now: EpochMs },
): Promise<string> {
  const signer = new SignatureV4({
    service: "rds-db",
    region,
    credentials: await credentials(region),
    sha256: Sha256,
  });
  const request = new HttpRequest({
    method: "GET",
    protocol: "https:",
    hostname: host,
    port,
    path: "/",
    query: { Action: "connect", DBUser: username },
    headers: { host: `${host}:${port}` },
  });
  const { query = {} } = await signer.presign(request, { expiresIn, signingDate: new Date(now) });
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  return `${host}:${port}/?${pairs.join("&")}`;
}

/** RFC 3986, as SigV4 requires. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
