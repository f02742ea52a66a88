import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Item } from "../../lib/table/items/attributes";
import { memoryTable, type Request } from "../../test/faults/world/memory-table";
import { serveAsks } from "../rounds/backend-process";
import { cpuMs } from "../rounds/processes";
import { itemsOf, type Setting } from "./table-of-hpas";

export const backend = "wake-far-end";

/** `count`: of the process with this id, from now on. Each answer has what was counted since the last one. */
export interface Ask {
  readonly count: number | undefined;
}

export interface Counted {
  readonly requests: number;
  /** Sent by the table. */
  readonly kilobytes: number;
  /** HPAs that the messages wake. */
  readonly woken: number;
  /** When the last message came, and the CPU time of the process by then. */
  readonly sentAt: number;
  readonly cpuMs: number;
}

const nothing: Counted = { requests: 0, kilobytes: 0, woken: 0, sentAt: 0, cpuMs: 0 };

/** The table and SQS, from the memory of this process. */
export async function serve(): Promise<void> {
  const table = memoryTable({ now: () => Date.now() });
  for (const item of itemsOf((process.env["EBB_BENCH_SETTING"] ?? "indexed") as Setting))
    table.execute({ action: "PutItem", input: { TableName: "ebb", Item: asSent(item) } });
  let counted = nothing;
  let pid: number | undefined;

  function accept({ Entries }: { readonly Entries: readonly { readonly Id: string; readonly MessageBody: string }[] }) {
    const names = Entries.flatMap(({ MessageBody }) => (JSON.parse(MessageBody) as { names: string[] }).names);
    const woken = counted.woken + names.length;
    counted = { ...counted, woken, sentAt: Date.now(), cpuMs: pid === undefined ? 0 : cpuMs(pid) };
    return { Successful: Entries.map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: "" })), Failed: [] };
  }

  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      const [service = "", action = ""] = String(request.headers["x-amz-target"]).split(".");
      const input = JSON.parse(body) as never;
      const isQueue = service.startsWith("AmazonSQS");
      const text = JSON.stringify(isQueue ? accept(input) : table.execute({ action, input } as Request));
      if (!isQueue) {
        const kilobytes = counted.kilobytes + text.length / 1_024;
        counted = { ...counted, requests: counted.requests + 1, kilobytes };
      }
      response.setHeader("content-type", "application/x-amz-json-1.0").end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  serveAsks(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, ({ count }: Ask): Counted => {
    const before = counted;
    [counted, pid] = [nothing, count];
    return before;
  });
}

/** Bytes as JSON has them. */
function asSent(item: Item): Item {
  const values = Object.entries(item).map(([name, value]) => [
    name,
    value.B === undefined ? value : { B: Buffer.from(value.B).toString("base64") },
  ]);
  return Object.fromEntries(values) as Item;
}
