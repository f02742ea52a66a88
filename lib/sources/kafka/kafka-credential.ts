import type { Sasl } from "kafkajs/src/network/connection";
import { DIGESTS, SCRAM } from "kafkajs/src/broker/saslAuthenticator/scram";
import type { SecretForm } from "../../secrets/secret-credential";
import type { TcpCredential } from "../network/tcp-client";

/** The secret says how it is used, so that no entry sends a password in a weaker way. */
export interface KafkaCredential extends TcpCredential {
  readonly login?:
    | { readonly mechanism: Mechanism; readonly username: string; readonly password: string }
    | { readonly token: string };
}

const mechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;
type Mechanism = (typeof mechanisms)[number];

export const kafkaCredential: SecretForm<KafkaCredential> = {
  members:
    '"username", "password" and "mechanism" (PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512), or "token", or "certificate" and "key"',
  none: { hidden: [] },
  read({ mechanism, username, password, token, certificate, key }) {
    const isPair = isText(certificate) && isText(key);
    if ((certificate !== undefined || key !== undefined) && !isPair) return undefined;
    const known = mechanisms.find((one) => one === mechanism);
    const hidden = [password, token, key].filter(isText);
    const own = isPair ? { certificate: { certificate, key } } : {};
    // A control character would end the token.
    if (isText(token) && /^[\x21-\x7e]+$/.test(token)) return { login: { token }, hidden, ...own };
    if (known !== undefined && isText(username) && isText(password))
      return { login: { mechanism: known, username, password }, hidden, ...own };
    const isNone = [mechanism, username, password, token].every((member) => member === undefined);
    return isNone && isPair ? { hidden, ...own } : undefined;
  },
};

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function saslOf(login: NonNullable<KafkaCredential["login"]>): Sasl {
  if ("token" in login) return bearer(login.token);
  const { mechanism } = login;
  if (mechanism === "PLAIN") return { ...login };
  const digest = mechanism === "SCRAM-SHA-256" ? DIGESTS.SHA256 : DIGESTS.SHA512;
  const sasl: Sasl = { ...login };
  sasl.authenticationProvider = ({ host, port, logger, saslAuthenticate }) =>
    new BoundedScram(sasl, host, port, logger, saslAuthenticate, digest);
  return sasl;
}

export function bearer(value: string): Sasl {
  return { mechanism: "OAUTHBEARER", oauthBearerProvider: () => Promise.resolve({ value }) };
}

/** Kafka's default is 4,096. Without a limit, a server could occupy all threads of this process. */
const mostIterations = 1_000_000;

class BoundedScram extends SCRAM {
  override async saltPassword(message: { readonly i: string }): Promise<Buffer> {
    if (!(Number(message.i) <= mostIterations)) throw new Error("the server asks for too many iterations");
    return await super.saltPassword(message);
  }
}
