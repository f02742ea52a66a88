import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What Lambda and Service Quotas know of an account, as far as ebb and its advice ask. */
export interface LambdaAccount {
  /** For AWS_ENDPOINT_URL_LAMBDA and AWS_ENDPOINT_URL_SERVICE_QUOTAS. */
  readonly endpoint: string;
  allowed: number;
  reserved: number;
  /** Of each function that has a queue: as the mapping says it. */
  readonly mappings: Map<string, object>;
  /** In place of an answer. */
  answers: ((path: string) => { readonly status: number; readonly body: string; readonly error?: string }) | undefined;
  readonly asked: string[];
  readonly close: () => Promise<void>;
}

export async function startLambdaAccount(allowed: number): Promise<LambdaAccount> {
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body, error }) => {
      response.writeHead(status, {
        "content-type": "application/json",
        ...(error !== undefined && { "x-amzn-errortype": error }),
      });
      response.end(body);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  async function answer(request: IncomingMessage): Promise<{ status: number; body: string; error?: string }> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    account.asked.push(pathname);
    const own = account.answers?.(pathname);
    if (own !== undefined) return own;
    if (request.headers["x-amz-target"] === "ServiceQuotasV20190624.RequestServiceQuotaIncrease")
      return quota((await json(request)) as QuotaRequest);
    if (request.method === "GET" && pathname === "/2016-08-19/account-settings/") return settings();
    if (request.method === "GET" && pathname === "/2015-03-31/event-source-mappings/")
      return mappingsOf(searchParams.get("FunctionName") ?? "");
    return { status: 404, body: "{}", error: "ResourceNotFoundException" };
  }

  function settings() {
    const AccountLimit = {
      ...{ TotalCodeSize: 80_530_636_800, CodeSizeUnzipped: 262_144_000, CodeSizeZipped: 52_428_800 },
      ConcurrentExecutions: account.allowed,
      UnreservedConcurrentExecutions: account.allowed - account.reserved,
    };
    return {
      status: 200,
      body: JSON.stringify({ AccountLimit, AccountUsage: { TotalCodeSize: 0, FunctionCount: 4 } }),
    };
  }

  function mappingsOf(name: string) {
    const found = account.mappings.get(name);
    return { status: 200, body: JSON.stringify({ EventSourceMappings: found === undefined ? [] : [found] }) };
  }

  function quota({ ServiceCode, QuotaCode, DesiredValue }: QuotaRequest) {
    if (ServiceCode !== "lambda" || QuotaCode !== "L-B99A9384")
      return { status: 400, body: JSON.stringify({ __type: "NoSuchResourceException" }) };
    // Somebody at AWS has agreed.
    account.allowed = DesiredValue;
    return { status: 200, body: JSON.stringify({ RequestedQuota: { ServiceCode, QuotaCode, DesiredValue, Status: "PENDING" } }) }; // prettier-ignore
  }

  const account: LambdaAccount = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ allowed, reserved: 0, mappings: new Map(), answers: undefined, asked: [] },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return account;
}

interface QuotaRequest {
  readonly ServiceCode: string;
  readonly QuotaCode: string;
  readonly DesiredValue: number;
}
