import { canary } from "../../canaries/canary";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiClient, type ApiClient } from "./api-client";
import { certificateAuthority, clientCertificate, serverCertificate, type KeyPair } from "./certificates";
import { startChild, type Child } from "./child";
import { freePorts } from "./free-ports";
import { installed } from "./installed";
import { serverFolder, type ServerFolder } from "./server-folder";

/** A real kube-apiserver with an etcd of its own; RBAC is on, no controller and no kubelet runs. */
export interface ApiServer {
  /** https://<host>:<port> */
  readonly endpoint: string;
  /** http://127.0.0.1:<port>: below the API server, which checks nothing there. */
  readonly etcd: string;
  /** Base64 of PEM, as a cluster entry and a kubeconfig have it. */
  readonly certificateAuthorityData: string;
  /** Of a user in system:masters. */
  readonly adminToken: string;
  /** Of the user "ebb" in the group "ebb", who may do what RBAC grants them: at first, nothing. */
  readonly ebbToken: string;
  /** Of the user "restricted", who is in no group and may do nothing but discovery. */
  readonly restrictedToken: string;
  /** Path of a kubeconfig with the admin's token. */
  readonly kubeconfig: string;
  readonly admin: ApiClient;
  /** The private key that signs service accounts' tokens, as a file of PEM. */
  readonly serviceAccountKeyFile: string;
  /** Path of the audit log: JSON lines, for `audited` alone. */
  readonly auditLog: string;
  /** Signs a certificate that the API server accepts for this user of this group. */
  clientCertificate(user: string, group: string): Promise<KeyPair>;
  /** Signs a certificate for a server of these names, by the same CA as the API server's own. */
  servingCertificate(names: readonly string[]): Promise<KeyPair>;
  stop(): Promise<void>;
}

/** The alpha and beta features of the HPA's API that an entry may use, so that the real one stores them too. */
export const featureGates = "HPAScaleToZero=true,HPAConfigurableTolerance=true";

const adminToken = "admin-token";
const ebbToken = canary("ebb-token");
const restrictedToken = "restricted-token";

/**
 * @param host the loopback address to listen on
 * @param audited the user whose requests the audit log has
 * @param tokenWebhook asked whom a token is of that the API server does not know
 */
export async function startApiServer({ host = "127.0.0.1", audited = "", tokenWebhook = "" } = {}): Promise<ApiServer> {
  const binaries = installed();
  const folder = serverFolder();
  const children: Child[] = [];
  const stop = async () => {
    for (const child of children.reverse()) await child.stop();
    folder.remove();
  };
  try {
    const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    children.push(await startEtcd(binaries.etcd, folder, { etcdPort, peerPort }));
    const { ca } = await writeFiles(folder.path, host);
    if (audited !== "") writeFileSync(join(folder.path, "audit-policy.json"), auditPolicy(audited));
    const endpoint = `https://${host}:${port}`;
    const admin = apiClient(endpoint, ca.cert, adminToken);
    const kubeApiserver = await startChild({
      name: "kube-apiserver",
      command: binaries.kubeApiserver,
      args: [
        `--bind-address=${host}`,
        `--secure-port=${port}`,
        ...apiServerArgs(folder.path, etcdPort),
        ...auditArgs(folder.path, audited),
        ...webhookArgs(folder.path, tokenWebhook),
      ],
      cwd: folder.path,
      log: folder.log("kube-apiserver"),
      ready: async () => (await admin.send("GET", "/readyz")).status === 200,
      readyTimeoutMs: 90_000,
    });
    children.push(kubeApiserver, { stop: () => Promise.resolve(admin.close()) });
    return { ...describe(folder.path, endpoint, ca), etcd: `http://127.0.0.1:${etcdPort}`, admin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startEtcd(command: string, folder: ServerFolder, ports: { etcdPort: number; peerPort: number }) {
  const url = `http://127.0.0.1:${ports.etcdPort}`;
  const peerUrl = `http://127.0.0.1:${ports.peerPort}`;
  return startChild({
    name: "etcd",
    command,
    args: [
      `--data-dir=${join(folder.path, "etcd")}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      "--unsafe-no-fsync",
    ],
    cwd: folder.path,
    log: folder.log("etcd"),
    ready: async () => (await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })).ok,
    readyTimeoutMs: 30_000,
  });
}

async function writeFiles(path: string, host: string): Promise<{ ca: KeyPair }> {
  const ca = await certificateAuthority("ebb e2e");
  const serving = await serverCertificate(ca, [host, "localhost", "kubernetes.default.svc"]);
  const aggregator = await clientCertificate(ca, "aggregator");
  const account = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const files = {
    "ca.crt": ca.cert,
    "serving.crt": serving.cert,
    "serving.key": serving.key,
    "aggregator.crt": aggregator.cert,
    "aggregator.key": aggregator.key,
    "accounts.key": account.privateKey.export({ type: "pkcs8", format: "pem" }),
    "accounts.pub": account.publicKey.export({ type: "spki", format: "pem" }),
    "tokens.csv": `${adminToken},admin,1,"system:masters"\n${ebbToken},ebb,2,"ebb"\n${restrictedToken},restricted,3\n`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content, { mode: 0o600 });
  return { ca };
}

function apiServerArgs(path: string, etcdPort: number): string[] {
  const file = (name: string) => join(path, name);
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    // A loopback address may not be advertised. No client uses this one.
    "--advertise-address=192.0.2.1",
    "--endpoint-reconciler-type=none",
    "--service-cluster-ip-range=10.0.0.0/24",
    `--cert-dir=${path}`,
    `--tls-cert-file=${file("serving.crt")}`,
    `--tls-private-key-file=${file("serving.key")}`,
    `--client-ca-file=${file("ca.crt")}`,
    `--token-auth-file=${file("tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${file("accounts.pub")}`,
    `--service-account-signing-key-file=${file("accounts.key")}`,
    // No controller creates service accounts here, so pods must be accepted without them.
    "--disable-admission-plugins=ServiceAccount",
    `--requestheader-client-ca-file=${file("ca.crt")}`,
    "--requestheader-allowed-names=aggregator",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${file("aggregator.crt")}`,
    `--proxy-client-key-file=${file("aggregator.key")}`,
    `--feature-gates=${featureGates}`,
    "--v=1",
  ];
}

function auditArgs(path: string, audited: string): string[] {
  if (audited === "") return [];
  return [`--audit-policy-file=${join(path, "audit-policy.json")}`, `--audit-log-path=${join(path, auditLog)}`];
}

function webhookArgs(path: string, server: string): string[] {
  if (server === "") return [];
  const file = join(path, "token-webhook.json");
  const context = { cluster: "webhook", user: "" };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "webhook",
    clusters: [{ name: "webhook", cluster: { server } }],
    contexts: [{ name: "webhook", context }],
  };
  writeFileSync(file, JSON.stringify(config));
  const flag = "--authentication-token-webhook";
  return [`${flag}-config-file=${file}`, `${flag}-version=v1`, `${flag}-cache-ttl=1s`];
}

const auditLog = "audit.log";

function auditPolicy(user: string): string {
  const rules = [{ level: "Metadata", users: [user], omitStages: ["RequestReceived"] }, { level: "None" }];
  return JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules });
}

function describe(path: string, endpoint: string, ca: KeyPair): Omit<ApiServer, "admin" | "etcd" | "stop"> {
  const certificateAuthorityData = Buffer.from(ca.cert).toString("base64");
  const kubeconfig = join(path, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText({ endpoint, certificateAuthorityData }), { mode: 0o600 });
  return {
    endpoint,
    certificateAuthorityData,
    adminToken,
    ebbToken,
    restrictedToken,
    kubeconfig,
    serviceAccountKeyFile: join(path, "accounts.key"),
    auditLog: join(path, auditLog),
    clientCertificate: (user, group) => clientCertificate(ca, user, group),
    servingCertificate: (names) => serverCertificate(ca, names),
  };
}

function kubeconfigText(server: Pick<ApiServer, "endpoint" | "certificateAuthorityData">): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "e2e",
    clusters: [
      {
        name: "e2e",
        cluster: {
          server: server.endpoint,
          "certificate-authority-data": server.certificateAuthorityData,
        },
      },
    ],
    users: [{ name: "admin", user: { token: adminToken } }],
    contexts: [{ name: "e2e", context: { cluster: "e2e", user: "admin" } }],
  });
}
