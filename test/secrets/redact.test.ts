import { hiding } from "../../lib/secrets/redact";
import type { Credential } from "../../lib/net/credential";
import { Fault } from "../../lib/model/fault";
import { noLimit } from "../time/no-limit";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const url =
  "https://sts.eu-central-1.amazonaws.com/?X-Amz-Security-Token=s3ss10n%2Btoken&X-Amz-Signature=51gnatur3&Action=x";
const eks = `k8s-aws-v1.${Buffer.from(url).toString("base64url")}`;

/** What becomes of a fault of a request that was sent with `authorization`. */
async function shown(authorization: string | undefined, fault: Fault): Promise<Fault> {
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
  const authenticator = { credential: () => Promise.resolve({ headers }), invalidate: () => undefined };
  const credentials = hiding(authenticator);
  await credentials.credential(noLimit());
  return credentials.hide(fault) as Fault;
}

test.each([
  ["a bearer token", "Bearer t0k3n", "no t0k3n here", "no [redacted] here"],
  ["the whole header, twice", "Bearer t0k3n", "Bearer t0k3n, Bearer t0k3n", "[redacted], [redacted]"],
  ["a token in base64", "Bearer t0k3n", `a ${base64("t0k3n")}`, "a [redacted]"],
  ["a token with signs, percent-encoded", "Bearer t0/k3n=", "?t=t0%2Fk3n%3D", "?t=[redacted]"],
  ["a user and a password", `Basic ${base64("me:hunter2")}`, "me:hunter2 or hunter2", "[redacted] or [redacted]"],
  ["an EKS token", `Bearer ${eks}`, `got ${eks}`, "got [redacted]"],
  ["an EKS token's address", `Bearer ${eks}`, `got ${url}`, "got [redacted]"],
  ["AWS's session token in it", `Bearer ${eks}`, "got s3ss10n+token", "got [redacted]"],
  ["AWS's session token in it, encoded", `Bearer ${eks}`, "got s3ss10n%2Btoken", "got [redacted]"],
  ["its signature", `Bearer ${eks}`, "got 51gnatur3", "got [redacted]"],
])("%s is hidden", async (_name, authorization, message, expected) => {
  const fault = await shown(authorization, new Fault("forbidden", message, { status: 403, cause: new Error(message) }));
  expect(fault).toMatchObject({ kind: "forbidden", status: 403, message: expected, cause: undefined });
});

test("a cause that repeats the token is removed", async () => {
  const fault = await shown("Bearer t0k3n", new Fault("badAnswer", "odd", { cause: new Error("t0k3n") }));
  expect(fault).toMatchObject({ message: "odd", cause: undefined });
});

test.each([
  ["without a credential", undefined],
  ["without it in the message", "Bearer other"],
  ["of a token too short to be one", "Bearer e"],
])("a fault %s stays the same fault", async (_name, authorization) => {
  const fault = new Fault("forbidden", "Bearing in mind: no entry", { cause: new Error("why") });
  expect(await shown(authorization, fault)).toBe(fault);
});

test("hides the last few credentials, not only the current one", async () => {
  const credentials: readonly Credential[] = ["0ld1", "n3xt"].map((token) => ({
    headers: { Authorization: `Bearer ${token}` },
  }));
  const left = [...credentials];
  const authenticator = {
    credential: () => Promise.resolve(left.shift() ?? credentials[1]!),
    invalidate: () => undefined,
  };
  const hidden = hiding(authenticator);
  const fault = new Fault("forbidden", "0ld1 n3xt");
  await hidden.credential(noLimit());
  expect(hidden.hide(fault)).toMatchObject({ message: "[redacted] n3xt" });
  await hidden.credential(noLimit());
  expect(hidden.hide(fault)).toMatchObject({ message: "[redacted] [redacted]" });
});
