/**
 * Text that is spelt like a credential. The table and the files of an import never hold one: a secret does (decision
 * 0092).
 */

/** Words of names that are credentials, such as `personalAccessToken`. */
const words =
  /^(pass|passwd|password|passphrase|pwd|secret|token|credentials?|sas|dsn|keytab|apikey|jwt|authorization|cookie)$/;
/** In camelCase or with separators: `queryKey`, `x-api-key`, `storageConnection`, `connectionString`. */
const lastWords = /^(key|connection)$/;
const whole = /^(user|username|userid|connectionstring|customheaders|customauthheader|customauthvalue|sig|signature)$/;
/** These only say where a credential is, or how it is sent. */
const aboutOne = /(FromEnv|FromEnvFile|ParamName|Provider|UR[IL]|Uri|Url)$/;

export function isCredentialName(name: string): boolean {
  if (aboutOne.test(name)) return false;
  const parts = name
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== "");
  return parts.some((part) => words.test(part)) || lastWords.test(parts.at(-1) ?? "") || whole.test(parts.join(""));
}

const scheme = /((?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/)/i;
/** In `http://host:8080/a@b` the colon begins a port, and the `@` belongs to the path. */
const hostWithPort = /^[\w.-]+:\d+[/?#]/;
const endOfHost = String.raw`(?::\d+)?(?:[/?#]|$)`;
const anyHost = new RegExp(String.raw`^[\w.-]+${endOfHost}`);
const surelyHost = new RegExp(String.raw`^(?:[\w-]+(?:\.[\w-]+)+|[\w.-]+:\d+)${endOfHost}`);
const bareHost = new RegExp(String.raw`^(?:tcp\(|unix\(|(?:[\w.-]+|\[[\da-f:]+\])${endOfHost})`, "i");
/** Elsewhere, `queue:mail@eu` is a key of Redis. */
const nameOfAddress = /(address(es)?|hosts?|servers?|brokers?|brokerlist|ur[il]|endpoint)$/i;

/** An address, or several, without the user and password that people put there. No expression here takes n² steps. */
function withoutUserinfo(text: string, isAddress: boolean): string {
  return text
    .split(/([\s,]+)/)
    .map((part) => (part.includes("@") ? addressAlone(part, isAddress) : part))
    .join("");
}

function addressAlone(text: string, isAddress: boolean): string {
  const [before = "", ...urls] = text.split(scheme);
  const bare = isAddress && !hostWithPort.test(before) && /^[^:@]*:/.test(before) ? before : "";
  return (
    before.slice(afterLastAt(bare, bareHost)) +
    urls.map((part, at) => (at % 2 === 0 ? part : part.slice(endOfUserinfo(part)))).join("")
  );
}

/** The `@` of `user:password@host` is the last one before the path, or before a host, if the password has a `/`. */
function endOfUserinfo(text: string): number {
  if (hostWithPort.test(text)) return 0;
  const authority = /^[^/?#]*/.exec(text)?.[0] ?? "";
  const end = authority.lastIndexOf("@") + 1;
  if (end > 0) {
    const rest = text.slice(end);
    const [path = ""] = hostWithPort.test(rest) ? [] : rest.split(/[?&=]/);
    return end + afterLastAt(path, surelyHost);
  }
  const at = text.indexOf("@") + 1;
  return authority.includes(":") && anyHost.test(text.slice(at)) ? at : 0;
}

/** Where a host begins after an `@`, the last such one. 0: none does. */
function afterLastAt(text: string, host: RegExp): number {
  const parts = text.split("@");
  const last = parts.findLastIndex((part, at) => at > 0 && host.test(part));
  return last < 0 ? 0 : parts.slice(0, last).join("@").length + 1;
}

/** Nobody names a queue so: `AIzaSy…`, a UUID, 32 hexadecimal digits, or 24 letters of both cases with digits. */
const generated =
  /^(AIza[\w-]{30,}|[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}|[\da-fA-F]{32,}|(?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[\da-zA-Z]{24,})$/;

/** A query's `key` may name anything: its value tells. */
export function isCredentialOfQuery(name: string, value: string): boolean {
  return name === "key" ? generated.test(value) : isCredentialName(name);
}

const pair = /(?<=[?&;]|^)([\w.-]{1,100})=([^&;#\s]+)/g;

/** The names of `?api_key=…` in an address and of `Password=…;` in a connection string. */
export function credentialPairs(text: string): readonly string[] {
  const isList = /[?&;]/.test(text);
  const pairs = isList ? [...text.matchAll(pair)] : [];
  return pairs.filter(([, name = "", value = ""]) => isCredentialOfQuery(name, value)).map(([, name = ""]) => name);
}

export interface Cleared {
  readonly text: string;
  /** In words: "its user and password". Empty: it had none. */
  readonly lost: readonly string[];
}

/** `name`: of the parameter or setting. */
export function withoutCredentials(given: string, name = ""): Cleared {
  const names = credentialPairs(given);
  const bare = withoutUserinfo(given, nameOfAddress.test(name));
  const text = bare
    .replace(pair, (found, pairName: string) => (names.includes(pairName) ? "" : found))
    .replace(/([?&;])[&;]+/g, "$1")
    .replace(/[?&](?=#|$)/, "");
  return {
    text: names.length === 0 ? bare : text,
    lost: [...(bare === given ? [] : ["its user and password"]), ...names],
  };
}
