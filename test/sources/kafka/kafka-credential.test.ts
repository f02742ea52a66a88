import { pbkdf2Sync } from "node:crypto";
import type { SCRAM } from "kafkajs/src/broker/saslAuthenticator/scram";
import { kafkaCredential, saslOf } from "../../../lib/sources/kafka/kafka-credential";

const pair = { certificate: "CERT", key: "KEY" };
const login = { mechanism: "SCRAM-SHA-256", username: "u", password: "p" } as const;

test.each<[string, Readonly<Record<string, unknown>>, object | undefined]>([
  ["a login", login, { login, hidden: ["p"] }],
  ["a login beside a certificate", { ...login, ...pair }, { login, hidden: ["p", "KEY"], certificate: pair }],
  ["a token", { token: "t.0-k" }, { login: { token: "t.0-k" }, hidden: ["t.0-k"] }],
  [
    "a token beside a certificate",
    { token: "t", ...pair },
    { login: { token: "t" }, hidden: ["t", "KEY"], certificate: pair },
  ],
  ["a certificate", pair, { hidden: ["KEY"], certificate: pair }],
  ["nothing", {}, undefined],
  ["an unknown mechanism", { ...login, mechanism: "GSSAPI" }, undefined],
  ["no mechanism", { username: "u", password: "p" }, undefined],
  ["no user", { mechanism: "PLAIN", password: "p" }, undefined],
  ["an empty password", { ...login, password: "" }, undefined],
  ["a password that is no text", { ...login, password: 1 }, undefined],
  ["a token that would end within its message", { token: "a\u0001b" }, undefined],
  ["a token with a space before it", { token: " a" }, undefined],
  ["a token with a line break after it", { token: "a\n" }, undefined],
  ["a certificate without its key", { certificate: "CERT" }, undefined],
  ["a key without its certificate", { ...login, key: "KEY" }, undefined],
  ["a certificate whose key is empty", { ...login, certificate: "CERT", key: "" }, undefined],
  ["a certificate beside half a login", { ...pair, username: "u" }, undefined],
  ["a certificate beside a mechanism alone", { ...pair, mechanism: "PLAIN" }, undefined],
])("a secret with %s", (_what, members, expected) => {
  expect(kafkaCredential.read(members)).toEqual(expected);
});

test("a token is sent as a bearer's, and a plain login as it is", async () => {
  const { mechanism, oauthBearerProvider } = saslOf({ token: "t0k3n" });
  expect([mechanism, await oauthBearerProvider?.()]).toEqual(["OAUTHBEARER", { value: "t0k3n" }]);
  expect(saslOf({ ...login, mechanism: "PLAIN" })).toEqual({ ...login, mechanism: "PLAIN" });
});

describe("a challenge", () => {
  const salted = (mechanism: "SCRAM-SHA-256" | "SCRAM-SHA-512", i: string) => {
    const sasl = saslOf({ ...login, mechanism });
    const provider = sasl.authenticationProvider?.({
      ...{ host: "kafka", port: 9092, logger: { debug: () => undefined } as never },
      saslAuthenticate: () => Promise.reject(new Error("not sent in this test")),
    }) as SCRAM;
    return provider.saltPassword({ i, s: "c2FsdA==" } as { readonly i: string });
  };

  test.each([
    ["SCRAM-SHA-256", 32, "sha256"],
    ["SCRAM-SHA-512", 64, "sha512"],
  ] as const)("%s is answered with its own digest", async (mechanism, bytes, digest) => {
    expect(await salted(mechanism, "4096")).toEqual(pbkdf2Sync("p", "salt", 4_096, bytes, digest));
  });

  test.each(["1000001", "1e9", "many"])("for %s iterations is refused", async (i) => {
    await expect(salted("SCRAM-SHA-256", i)).rejects.toThrow("the server asks for too many iterations");
  });
});
