import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What EKS knows of a cluster that the suite runs itself. */
export interface EksCluster {
  readonly endpoint: string;
  readonly certificateAuthorityData: string;
}

/**
 * The part of EKS that no emulator has: who may log in. It answers DescribeCluster, and CreateAccessEntry and
 * UpdateAccessEntry of the real AWS CLI, and it is the webhook by which an API server of EKS asks whom a token is of. A
 * token is a signed request to STS, which the emulator's STS answers.
 */
export interface Eks {
  /** For AWS_ENDPOINT_URL_EKS. */
  readonly endpoint: string;
  /** For the API server. */
  readonly tokenWebhook: string;
  register(name: string, cluster: EksCluster): void;
  readonly stop: () => Promise<void>;
}

interface TokenReview {
  readonly spec: { readonly token: string };
}

/** By what IAM calls them, so that the session of a role has the role's entry. */
const principalOf = (arn: string) =>
  arn.replace(/^arn:aws:sts::(\d+):assumed-role\/([^/]+)\/.*$/, "arn:aws:iam::$1:role/$2");

export async function startEks(sts: string): Promise<Eks> {
  const clusters = new Map<string, EksCluster>();
  const groups = new Map<string, readonly string[]>();

  /** Whom STS takes the signer of the token for. */
  async function signer(token: string): Promise<string | undefined> {
    const [, encoded] = /^k8s-aws-v1\.([\w-]+)$/.exec(token) ?? [];
    if (encoded === undefined) return undefined;
    const { search, searchParams } = new URL(Buffer.from(encoded, "base64url").toString("utf8"));
    const credential = searchParams.get("X-Amz-Credential") ?? "";
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`;
    const answer = await fetch(`${sts}/${search}`, { headers: { authorization } });
    return /<Arn>([^<]+)<\/Arn>/.exec(await answer.text())?.[1];
  }

  async function review({ spec }: TokenReview): Promise<object> {
    const username = await signer(spec.token);
    const own = username === undefined ? undefined : groups.get(principalOf(username));
    const status =
      own === undefined ? { authenticated: false } : { authenticated: true, user: { username, groups: own } };
    return { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", status };
  }

  async function answer(request: IncomingMessage): Promise<object | undefined> {
    const { method = "", url = "/" } = request;
    if (method === "POST" && url.startsWith("/token-review")) return review((await json(request)) as TokenReview);
    if (method === "GET" && /^\/clusters(\?|$)/.test(url)) return { clusters: [...clusters.keys()] };
    const [, name = "", more] = /^\/clusters\/([^/?]+)(\/access-entries(?:\/[^?]+)?)?$/.exec(url) ?? [];
    const cluster = clusters.get(name);
    if (cluster === undefined) return undefined;
    if (method === "GET" && more === undefined) {
      const { endpoint, certificateAuthorityData: data } = cluster;
      return { cluster: { name, endpoint, certificateAuthority: { data }, tags: {} } };
    }
    if (method !== "POST" || more === undefined) return undefined;
    const { principalArn = decodeURIComponent(more.replace("/access-entries/", "")), kubernetesGroups = [] } =
      (await json(request)) as AccessEntry;
    groups.set(principalArn, kubernetesGroups);
    return { accessEntry: { clusterName: name, principalArn, kubernetesGroups } };
  }

  const server = createServer((request, response) => {
    void answer(request).then((body) => {
      const isOdd = body === undefined && (request.url ?? "").includes("/odd");
      // As EKS does: it knows no such cluster, or the name is none that it gives.
      const error = isOdd ? "InvalidParameterException" : "ResourceNotFoundException";
      const headers = { "content-type": "application/json", ...(body === undefined && { "x-amzn-errortype": error }) };
      response.writeHead(body !== undefined ? 200 : isOdd ? 400 : 404, headers);
      response.end(JSON.stringify(body ?? { message: `no ${request.method} ${request.url}` }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    tokenWebhook: `${endpoint}/token-review`,
    register: (name, cluster) => void clusters.set(name, cluster),
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface AccessEntry {
  readonly principalArn?: string;
  readonly kubernetesGroups?: readonly string[];
}
