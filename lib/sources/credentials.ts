/**
 * Text that is spelt like a credential. The table and the files of an import never hold one: a secret does (decision
 * 0092).
 */

/** Words of names that are credentials, such as `personalAccessToken`. */
const words =
  /^(pass|passwd|password|passphrase|pwd|secret|token|credentials?|sas|dsn|keytab|apikey|authorization|cookie)$/;
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

/** `scheme://user:password@host`, the `@` being the last one before the path, or before a host if a `/` comes first. */
const userinfo =
  /([a-z][a-z\d+.-]*:\/\/)(?:[^/?#\s,]*@|[^/?#\s,@]*:[^\s,@]*[/?#][^\s,@]*@(?=[\w.-]+(?::\d+)?(?:[/?#]|$)))/gi;

/** An address without the user and password that people put there. */
export function withoutUserinfo(text: string): string {
  return text.replace(userinfo, (found, scheme: string) => (isPort(found, scheme) ? found : scheme));
}

/** In `http://host:8080/a@b` the colon begins a port, and the `@` belongs to the path. */
function isPort(found: string, scheme: string): boolean {
  return /^[\w.-]+:\d+[/?#]/.test(found.slice(scheme.length)) || !found.includes("@");
}

const pair = /(?<=[?&;]|^)([\w.-]{1,100})=([^&;#\s]+)/g;

/** The names of `?api_key=…` in an address and of `Password=…;` in a connection string. */
export function credentialPairs(text: string): readonly string[] {
  const isList = /[?&;]/.test(text);
  return isList
    ? [...text.matchAll(pair)].map(([, name = ""]) => name).filter((name) => name !== "key" && isCredentialName(name))
    : [];
}

export interface Cleared {
  readonly text: string;
  /** In words: "its user and password". Empty: it had none. */
  readonly lost: readonly string[];
}

export function withoutCredentials(given: string): Cleared {
  const names = credentialPairs(given);
  const bare = withoutUserinfo(given);
  const text = bare
    .replace(pair, (found, name: string) => (names.includes(name) ? "" : found))
    .replace(/([?&;])[&;]+/g, "$1")
    .replace(/[?&](?=#|$)/, "");
  return {
    text: names.length === 0 ? bare : text,
    lost: [...(bare === given ? [] : ["its user and password"]), ...names],
  };
}
