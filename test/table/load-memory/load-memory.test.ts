import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { type Item, toItem } from "../../../lib/table/items/attributes";

/**
 * A process with a heap as small as a function's loads a shard in which a team has put 1,000 items of 128 KB beside 100
 * small HPAs. It must not end, and the small ones must be as usable as ever.
 */
const functionMegabytes = 512;
/** Enough for either to take more than the load may keep. Reading 30 million empty lists takes a minute. */
const many = { text: 1_000, lists: 36, tooLarge: 300 };
const bytes = 127 * 1024;

const text = "x".repeat(bytes);
/** Four bytes each in the table, and more than 60 in memory. */
const lists = Array.from({ length: bytes / 4 }, () => []);

const metric = {
  type: "External",
  external: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } },
};
const hpaSpec = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" },
  maxReplicas: 10,
  metrics: [metric],
};
const state = {
  version: 3,
  slot: 1,
  targetUid: "u",
  status: { desiredReplicas: 1 },
  history: { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] },
  open: true,
};

type Make = (index: number) => Record<string, unknown>;
const nameOf = (index: number) => String(index).padStart(4, "0");

const shapes: Readonly<Record<string, { readonly prefix: string; readonly count: number; readonly make: Make }>> = {
  "HPAs of one long text": {
    prefix: "HPA#",
    count: many.text,
    make: (index) => ({
      sk: `HPA#shop/large-${nameOf(index)}`,
      metadata: { annotations: { note: text } },
      spec: hpaSpec,
    }),
  },
  "HPAs of empty lists": {
    prefix: "HPA#",
    count: many.lists,
    make: (index) => ({ sk: `HPA#shop/large-${nameOf(index)}`, spec: hpaSpec, more: lists }),
  },
  "sources of one long text": {
    prefix: "SOURCE#",
    count: many.text,
    make: (index) => ({ sk: `SOURCE#s-${nameOf(index)}`, spec: { kind: "sqs", parameters: { queue: text } } }),
  },
  "sources of empty lists": {
    prefix: "SOURCE#",
    count: many.lists,
    make: (index) => ({ sk: `SOURCE#s-${nameOf(index)}`, spec: { kind: "sqs", parameters: { queue: lists } } }),
  },
  "states of one long text": {
    prefix: "STATE#",
    count: many.text,
    make: (index) => ({ sk: `STATE#shop/large-${nameOf(index)}`, ...state, selector: text }),
  },
  "HPAs far above the limit of a document": {
    prefix: "HPA#",
    count: many.tooLarge,
    make: (index) => ({ sk: `HPA#shop/large-${nameOf(index)}`, spec: { ...hpaSpec, note: text + text + text } }),
  },
};

const small: readonly Item[] = Array.from({ length: 100 }, (_, index) =>
  toItem({ pk: "CLUSTER#prod", sk: `HPA#shop/small-${nameOf(index)}`, spec: hpaSpec }),
);

/** A table that answers a Query in pages of 1 MB, and knows no other item. */
async function serveTable({ prefix, make, count }: (typeof shapes)[string]): Promise<Server> {
  const pageItems = Math.floor(2 ** 20 / JSON.stringify(make(0)).length) + 1;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const send = (answer: object) =>
        response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(answer));
      if (!String(request.headers["x-amz-target"]).endsWith(".Query")) return send({});
      const { ExpressionAttributeValues: values, ExclusiveStartKey: after } = JSON.parse(body) as {
        ExpressionAttributeValues: Item;
        ExclusiveStartKey?: Item;
      };
      const asked = values[":low"]?.S ?? "";
      const smallOnes = asked.startsWith("HPA#") ? small : [];
      if (!asked.startsWith(prefix)) return send({ Items: smallOnes });
      const start = Number(after?.["sk"]?.S ?? 0);
      const page = Array.from({ length: Math.min(pageItems, count - start) }, (_, index) =>
        toItem({ pk: "CLUSTER#prod", ...make(start + index) }),
      );
      const next = start + page.length;
      if (next < count) return send({ Items: page, LastEvaluatedKey: { pk: { S: "p" }, sk: { S: String(next) } } });
      send({ Items: [...page, ...smallOnes] });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

let folder = "";
let server: Server | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-load-"));
  const entryPoints = ["test/table/load-memory/loader.ts"];
  buildSync({ entryPoints, outfile: join(folder, "loader.js"), bundle: true, platform: "node", logLevel: "error" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Loaded {
  readonly small: number;
  readonly large: number;
  readonly refusals: readonly string[];
  readonly megabytes: number;
}

async function load(shape: (typeof shapes)[string]): Promise<Loaded> {
  server = await serveTable(shape);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, ["--max-old-space-size=256", join(folder, "loader.js"), url], { env: {} });
  let [out, errors] = ["", ""];
  child.stdout.on("data", (piece: Buffer) => (out += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (errors += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`the loader ended with ${code}: ${errors.slice(0, 2_000)}`);
  return JSON.parse(out) as Loaded;
}

test.each(Object.entries(shapes))(
  "beside many %s, each of 128 KB or more, 100 small HPAs are loaded",
  async (name, shape) => {
    const { small: usable, large, refusals, megabytes } = await load(shape);
    expect(usable).toBe(small.length);
    // Those that fit into the load's memory are usable, too.
    if (!name.includes("far above")) expect(large).toBeGreaterThanOrEqual(shape.count / 4);
    expect(large).toBeLessThan(shape.count);
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toMatch(/\(a limit of ebb\)/);
    expect(megabytes).toBeLessThan(functionMegabytes);
  },
  120_000,
);
