import type { IncomingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";

export interface ApiAnswer<T = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
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
  /** Any status, without throwing. The path is sent as it is, and so is a body that is a text. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  close(): void;
}

export function apiClient(endpoint: string, ca: string, token: string, scheme = "Bearer"): ApiClient {
  const agent = new Agent({ keepAlive: true, ca });

  const send: ApiClient["send"] = (method, path, body, more) =>
    new Promise<ApiAnswer>((resolve, reject) => {
      const json = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = { authorization: `${scheme} ${token}`, "content-type": type, ...lengthOf(json), ...more };
      const sent = request(endpoint, { path, agent, method, headers, timeout: 20_000 }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: parse(Buffer.concat(chunks)) }),
        );
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

/** Node sends no length of a DELETE's body by itself. */
function lengthOf(body: string | undefined): Readonly<Record<string, string>> {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}

function parse(text: Buffer): unknown {
  const string = text.toString("utf8");
  try {
    return JSON.parse(string);
  } catch {
    return string; // /readyz answers in plain text
  }
}
