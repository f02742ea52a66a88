import { Agent, request } from "node:https";
import type { IncomingMessage } from "node:http";
import { createSecureContext } from "node:tls";
import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** Parsed where it is JSON, else its text. */
  readonly body: Body;
}

/** What the tests look at in answers; each of them knows which kind it asked for. */
export interface Body {
  kind: string;
  message: string;
  reason: string;
  gitVersion: string;
  details: { causes: unknown[] };
  metadata: { name: string; uid: string; resourceVersion: string; generation: number; creationTimestamp: string };
  spec: {
    replicas: number;
    size: number;
    template: { spec: { terminationGracePeriodSeconds: number; containers: { name: string; image: string }[] } };
  };
  status: { replicas: number; selector: string };
  items: Item[];
  resources: { name: string }[];
  versions: { version: string }[];
  columnDefinitions: { name: string; priority: number }[];
  rows: { cells: unknown[] }[];
}

export interface Item {
  metadata: { name: string };
  metric?: unknown;
  versions: { resources: unknown[] }[];
  containers: { usage: { cpu: string } }[];
}

export interface Call {
  /** A text is sent as it is. */
  readonly body?: unknown;
  /** null: no credentials at all. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
}

/** A plain client of the cluster over the wire, TLS verified. */
export function clientOf(cluster: Pick<SimulatedCluster, "endpoint" | "certificateAuthorityData" | "adminToken">) {
  const ca = Buffer.from(cluster.certificateAuthorityData, "base64");
  // A handshake takes longer than most answers.
  const withoutCertificate = new Agent({ secureContext: createSecureContext({ ca }), keepAlive: true });
  return async (method: string, path: string, call: Call = {}): Promise<Answer> => {
    const { token = cluster.adminToken } = call;
    const body = typeof call.body === "string" || call.body === undefined ? call.body : JSON.stringify(call.body);
    const { certificate, key } = call.clientCertificate ?? {};
    const agent = certificate === undefined ? withoutCertificate : new Agent({ ca, cert: certificate, key });
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      // Node sends no length of a DELETE's body by itself.
      ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      ...call.headers,
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // As an option, the path is sent as it is.
      const sent = request(cluster.endpoint, { path, method, headers, agent, servername: "localhost" }, resolve);
      sent.once("error", reject);
      sent.end(body);
    });
    const text = await readText(response);
    const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: isJson && text !== "" && !path.includes("watch=1") ? (JSON.parse(text) as Body) : (text as unknown as Body),
    };
  };
}

export async function readText(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export const deployment = (name: string, replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "main", image: "example.com/main:1" }] },
    },
  },
});
