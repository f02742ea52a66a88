import { Agent, request } from "node:https";

export interface ApiAnswer<T = unknown> {
  readonly status: number;
  readonly body: T;
}

/** A plain client for arranging and looking at a cluster in tests: not the code under test. */
export interface ApiClient {
  get<T>(path: string): Promise<T>;
  create<T>(path: string, body: unknown): Promise<T>;
  /** A JSON merge patch. */
  patch<T>(path: string, body: unknown): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
  delete(path: string): Promise<void>;
  /** Any status, without throwing. */
  send(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  close(): void;
}

export function apiClient(endpoint: string, ca: string, token: string, scheme = "Bearer"): ApiClient {
  const agent = new Agent({ keepAlive: true, ca });

  const send = (method: string, path: string, body?: unknown) =>
    new Promise<ApiAnswer>((resolve, reject) => {
      const json = body === undefined ? undefined : JSON.stringify(body);
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = { authorization: `${scheme} ${token}`, "content-type": type };
      const sent = request(new URL(path, endpoint), { agent, method, headers, timeout: 20_000 }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: parse(Buffer.concat(chunks)) }));
      });
      sent.on("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer after 20 s`)));
      sent.on("error", reject);
      sent.end(json);
    });

  const expectOk = async <T>(method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  };

  return {
    get: (path) => expectOk("GET", path),
    create: (path, body) => expectOk("POST", path, body),
    patch: (path, body) => expectOk("PATCH", path, body),
    put: (path, body) => expectOk("PUT", path, body),
    delete: async (path) => {
      await expectOk("DELETE", path);
    },
    send,
    close: () => agent.destroy(),
  };
}

function parse(text: Buffer): unknown {
  const string = text.toString("utf8");
  try {
    return JSON.parse(string);
  } catch {
    return string; // /readyz answers in plain text
  }
}
