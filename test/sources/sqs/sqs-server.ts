import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a queue answers: its attributes, a refusal, a raw body, or nothing at all. */
export type QueueAnswer =
  | Readonly<Record<string, unknown>>
  | { readonly code: string; readonly status?: number }
  | { readonly raw: string; readonly status?: number }
  | "hang";

export interface SqsServer {
  readonly url: string;
  /** By queue name; a queue that is not here does not exist. */
  readonly queues: Map<string, QueueAnswer>;
  /** What ListQueues answers, in order; then the names of `queues`, in pages. */
  readonly lists: QueueAnswer[];
  /** "GetQueueUrl eu-west-1 {…}", in order. */
  readonly requests: string[];
  close(): Promise<void>;
}

interface ListInput {
  readonly QueueNamePrefix?: string;
  readonly MaxResults?: number;
  readonly NextToken?: string;
}

const urlOf = (name: string) => `http://elsewhere.test/123456789012/${name}`;

/** GetQueueUrl, GetQueueAttributes and ListQueues in SQS's JSON protocol, with whatever answers a test wants. */
export async function startSqsServer(): Promise<SqsServer> {
  const queues = new Map<string, QueueAnswer>();
  const lists: QueueAnswer[] = [];
  const requests: string[] = [];
  const listed = ({ QueueNamePrefix = "", MaxResults = 1_000, NextToken = "0" }: ListInput): QueueAnswer => {
    const names = [...queues.keys()].filter((name) => name.startsWith(QueueNamePrefix));
    const end = Number(NextToken) + MaxResults;
    const QueueUrls = names.slice(Number(NextToken), end).map(urlOf);
    return { raw: JSON.stringify({ QueueUrls, ...(names.length > end && { NextToken: String(end) }) }) };
  };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const operation = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
      const region = /\/\d{8}\/([^/]+)\/sqs\//.exec(request.headers.authorization ?? "")?.[1];
      requests.push(`${operation} ${region} ${body}`);
      const input = JSON.parse(body) as ListInput & { QueueName?: string; QueueUrl?: string };
      const name = input.QueueName ?? input.QueueUrl?.split("/").at(-1) ?? "";
      const answer =
        operation === "ListQueues"
          ? (lists.shift() ?? listed(input))
          : (queues.get(name) ?? { code: "QueueDoesNotExist" });
      if (answer === "hang") return;
      const send = (status: number, text: string) => {
        response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(text);
      };
      if ("raw" in answer) send(Number(answer.status ?? 200), String(answer.raw));
      else if ("code" in answer) {
        const code = String(answer.code);
        send(
          Number(answer.status ?? 400),
          JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message: `said ${code}` }),
        );
      } else if (operation === "GetQueueUrl") send(200, JSON.stringify({ QueueUrl: urlOf(name) }));
      else send(200, JSON.stringify({ Attributes: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queues,
    lists,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
