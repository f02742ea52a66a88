import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { present } from "../../k8s/map";
import { Fault, errorText } from "../../model/fault";
import type { Credential } from "../../net/credential";
import { kubeconfigProblem, parseKubeconfig } from "./kubeconfig-text";

export interface KubeconfigAccess {
  readonly context: string;
  readonly server: string;
  readonly certificateAuthority?: string;
  readonly tlsServerName?: string;
  /** Token files are read again. Exec plugins run again when their token has expired. */
  credential(): Promise<Credential>;
}

/** For `ebb init`: the command's bundle has no second copy. */
export { KubeConfig };

export interface KubeconfigText {
  readonly text: string;
  readonly where: string;
  /**
   * The path, if this run was started with it; relative paths start from its folder. Absent: the kubeconfig must not
   * name a file or a command of this machine.
   */
  readonly file?: string;
  /** Absent: current-context. */
  readonly context?: string;
}

/**
 * Loaded only for an entry with kubeconfig auth, because @kubernetes/client-node's imports are larger than all the
 * rest.
 * @throws Fault "badEntry".
 */
export function readKubeconfig({ text, where, file, context }: KubeconfigText): KubeconfigAccess {
  const bad = (what: string) => new Fault("badEntry", `${where}: ${what}`);
  // A secret's names are secret. A file's are the user's own.
  const isSecret = file === undefined;
  const config = load(text, bad);
  if (file !== undefined) config.makePathsAbsolute(dirname(file));
  if (context !== undefined) config.setCurrentContext(context);
  const chosen = config.getCurrentContext() as string | undefined;
  if (chosen === undefined || config.getContextObject(chosen) === null) {
    const expected =
      isSecret && context === undefined ? "its current-context" : `a context ${JSON.stringify(chosen ?? "")}`;
    throw bad(`expected ${expected}, got ${names(config.getContexts(), isSecret)}`);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const which = isSecret ? "the context" : `context ${chosen}`;
    throw bad(`${which}: expected the cluster that it names, got ${names(config.getClusters(), isSecret)}`);
  }
  const its = isSecret ? "its cluster" : `cluster ${cluster.name}`;
  if (cluster.skipTLSVerify)
    throw bad(`${its}: insecure-skip-tls-verify is not allowed; set certificate-authority-data to the private CA`);
  if (cluster.proxyUrl !== undefined && cluster.proxyUrl !== "") throw bad(`${its}: proxy-url is not supported`);
  if (file === undefined) refuseLocal(cluster, config.getCurrentUser(), bad);
  const certificateAuthority = readAuthority(cluster, (what) => bad(`${its}: ${what}`));
  return {
    context: chosen,
    server: cluster.server,
    ...present({ certificateAuthority, tlsServerName: cluster.tlsServerName }),
    credential: () => readCredential(config, where),
  };
}

/** No error has a cause: KubeConfig's and the parser's quote the text. */
function load(text: string, bad: (what: string) => Fault): KubeConfig {
  const config = new KubeConfig();
  const document = (() => {
    try {
      return parseKubeconfig(text);
    } catch (error) {
      throw bad(`expected a kubeconfig: ${errorText(error)}`);
    }
  })();
  try {
    // JSON is YAML, so pass on the parsed document as JSON.
    config.loadFromString(JSON.stringify(withTokenFiles(document)));
  } catch (error) {
    throw bad(`expected a kubeconfig: ${kubeconfigProblem(error)}`);
  }
  return config;
}

/** KubeConfig supports `tokenFile`, a file that is renewed in place, only through the auth provider of that name. */
function withTokenFiles(document: { readonly users?: unknown }): unknown {
  if (!Array.isArray(document.users)) return document;
  const users = document.users.map((entry: { readonly user?: { readonly tokenFile?: unknown } } | null) => {
    const tokenFile = entry?.user?.tokenFile;
    if (typeof tokenFile !== "string") return entry;
    return { ...entry, user: { ...entry?.user, "auth-provider": { name: "tokenFile", config: { tokenFile } } } };
  });
  return { ...document, users };
}

type Cluster = NonNullable<ReturnType<KubeConfig["getCurrentCluster"]>>;
type User = ReturnType<KubeConfig["getCurrentUser"]>;

/** The author of a secret must not choose files and commands of this machine. */
function refuseLocal(cluster: Cluster, user: User, bad: (what: string) => Fault): void {
  const isSet = (value: unknown) => value !== undefined && value !== null;
  if (isSet(cluster.caFile)) throw bad("its cluster: certificate-authority is a file; use certificate-authority-data");
  const local = [
    ["exec", user?.exec, "a token, or type eks for an EKS cluster"],
    ["tokenFile or auth-provider", user?.authProvider, "a token"],
    ["client-certificate", user?.certFile, "client-certificate-data"],
    ["client-key", user?.keyFile, "client-key-data"],
  ] as const;
  const found = local.find(([, value]) => isSet(value));
  if (found === undefined) return;
  const [field, , instead] = found;
  throw bad(`its user: ${field} is only for a kubeconfig that ebb was started with; use ${instead}`);
}

function readAuthority(
  { caFile, caData }: { readonly caFile?: string; readonly caData?: string },
  bad: (what: string) => Fault,
): string | undefined {
  try {
    if (caFile !== undefined) return readFileSync(caFile, "utf8");
  } catch (error) {
    throw bad(`expected certificate-authority to be a readable file, got ${kubeconfigProblem(error)}`);
  }
  return caData === undefined ? undefined : Buffer.from(caData, "base64").toString("utf8");
}

async function readCredential(config: KubeConfig, where: string): Promise<Credential> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    const isExec = config.getCurrentUser()?.exec !== undefined;
    const why = kubeconfigProblem(error, isExec ? "its exec plugin failed" : undefined);
    const advice = "run kubectl with it to see more: ebb shows no output of a plugin";
    throw new Fault("unauthorized", `${where}: no credential from its user (${why}); ${advice}`, { lack: "login" });
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = String(value).trim();
  if (typeof options.auth === "string")
    headers["Authorization"] = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  const { cert, key } = options;
  return {
    headers,
    ...(cert === undefined || key === undefined ? {} : { certificate: { certificate: text(cert), key: text(key) } }),
  };
}

function text(pem: unknown): string {
  if (Buffer.isBuffer(pem)) return pem.toString("utf8");
  if (typeof pem === "string") return pem;
  throw new Error(`expected PEM, got ${typeof pem}`);
}

function names(things: readonly { readonly name: string }[], isSecret: boolean): string {
  if (things.length === 0) return "none";
  return isSecret ? `${things.length} with other names` : things.map(({ name }) => name).join(", ");
}
