import type { RequestListener } from "node:http";
import { type Item, toItem } from "../../../../lib/table/items/attributes";
import { loopbackServers } from "../../../backends/loopback";
import { functionMegabytes, smallHeap } from "../../../small-heap/small-heap";
import type { Job, Loaded } from "./loader";

/**
 * A process with a heap as small as a function's loads a shard in which a team has put 1,000 items of 128 KB beside 100
 * small HPAs. It must not end, and the small ones must be as usable as ever.
 */
const servers = loopbackServers();
const load = smallHeap<Job, Loaded>("test/faults/small-heap/table/loader.ts");

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

/** As JSON, like each item here. */
const small: readonly string[] = Array.from({ length: 100 }, (_, index) =>
  JSON.stringify(toItem({ pk: "CLUSTER#prod", sk: `HPA#shop/small-${nameOf(index)}`, spec: hpaSpec })),
);

/** A table that answers a Query in pages of 1 MB, and knows no other item. */
function tableOf({ prefix, make, count }: (typeof shapes)[string]): RequestListener {
  const pageItems = Math.floor(2 ** 20 / JSON.stringify(make(0)).length) + 1;
  // They differ only in their names, and so are encoded once.
  const first = JSON.stringify(toItem({ pk: "CLUSTER#prod", ...make(0) }));
  const itemOf = (index: number) => first.replace(nameOf(0), nameOf(index));
  return (request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const send = (answer: string) =>
        response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(answer);
      if (!String(request.headers["x-amz-target"]).endsWith(".Query")) return send("{}");
      const { ExpressionAttributeValues: values, ExclusiveStartKey: after } = JSON.parse(body) as {
        ExpressionAttributeValues: Item;
        ExclusiveStartKey?: Item;
      };
      const asked = values[":low"]?.S ?? "";
      const smallOnes = asked.startsWith("HPA#") ? small : [];
      if (!asked.startsWith(prefix)) return send(`{"Items":[${smallOnes.join()}]}`);
      const start = Number(after?.["sk"]?.S ?? 0);
      const next = Math.min(start + pageItems, count);
      const page = Array.from({ length: next - start }, (_, index) => itemOf(start + index));
      if (next === count) return send(`{"Items":[${[...page, ...smallOnes].join()}]}`);
      send(`{"Items":[${page.join()}],"LastEvaluatedKey":{"pk":{"S":"p"},"sk":{"S":"${next}"}}}`);
    });
  };
}

test.each(Object.entries(shapes))(
  "beside many %s, each of 128 KB or more, 100 small HPAs are loaded",
  async (name, shape) => {
    const { url: endpoint } = await servers.start(tableOf(shape));
    const { small: usable, large, refusals, megabytes } = await load({ endpoint });
    expect(usable).toBe(small.length);
    // Those that fit into the load's memory are usable, too, and a source of such a size is none.
    if (name.includes("sources")) expect(large).toBe(0);
    else if (!name.includes("far above")) expect(large).toBeGreaterThanOrEqual(shape.count / 4);
    expect(large).toBeLessThan(shape.count);
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toMatch(/\(a limit of ebb\)/);
    expect(megabytes).toBeLessThan(functionMegabytes);
  },
  120_000,
);
