import { asHpaKey } from "../../../lib/model/hpa-key";
import { Fault } from "../../../lib/model/fault";
import { openQueueReads } from "../../../lib/table/queue-reads";
import { indexedWorld, queueWorld, sqs } from "./queue-world";

test("the HPAs of a queue are found without looking through the entries", async () => {
  const world = await indexedWorld("orders", "mails", "reports");
  expect(await world.find("mails-jobs")).toEqual(["prod shop/mails"]);
  expect(await world.find("nobody")).toEqual([]);
  expect(world.searchedEntries()).toBe(false);
});

test.each<[string, object, string]>([
  ["a URL", { queue: "https://sqs.eu-west-1.amazonaws.com/1/mail" }, "mail"],
  ["a list", { queues: "a, arn:aws:sqs:eu-west-1:1:mail-in" }, "mail-in"],
  ["a prefix", { queuePrefix: "mail-" }, "mail-in"],
  ["a prefix that is the whole name", { queuePrefix: "mail-in" }, "mail-in"],
])("by %s", async (_by, labels, queue) => {
  const world = queueWorld();
  await world.register();
  await world.createShard();
  await world.apply("orders", labels);
  await world.slot(1);
  world.searchedEntries();
  expect(await world.find(queue)).toEqual(["prod shop/orders"]);
  expect(await world.find("arn:aws:sqs:eu-west-1:1:mai")).toEqual([]);
  expect(world.searchedEntries()).toBe(false);
});

test("by a SOURCE entry, as it is now", async () => {
  const world = queueWorld();
  await world.register();
  await world.createShard();
  const source = (queue: string) =>
    world.put("CLUSTER#prod", "SOURCE#jobs", { spec: { kind: "sqs", parameters: { queue } } });
  await source("mail");
  const metric = {
    type: "External",
    external: { metric: { name: "jobs" }, target: { type: "AverageValue", averageValue: "5" } },
  };
  const spec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" },
    maxReplicas: 5,
    metrics: [metric],
  };
  await world.put("CLUSTER#prod", "HPA#shop/orders", { spec });
  await world.slot(1);
  world.searchedEntries();
  expect(await world.find("mail")).toEqual(["prod shop/orders"]);
  await source("post");
  expect([await world.find("mail"), await world.find("post")]).toEqual([[], []]);
  expect(world.searchedEntries()).toBe(false);
  await world.slot(2);
  expect([await world.find("mail"), await world.find("post")]).toEqual([[], ["prod shop/orders"]]);
});

test("a cluster that was deleted is not searched, whatever its shards and indexes say", async () => {
  const world = await indexedWorld("orders");
  await world.remove("CLUSTER#prod", "CLUSTER");
  expect(await world.find("orders-jobs")).toEqual([]);
  await world.remove("CLUSTER#prod", "HPA#shop/orders");
  expect(await world.find([{ queue: "orders-jobs", cluster: "prod" }])).toEqual([]);
});

test("300 equal requests are one search", async () => {
  const world = await indexedWorld("orders");
  const requests = Array.from({ length: 300 }, () => ({ queue: "arn:aws:sqs:eu-west-1:1:orders-jobs" }));
  expect(await world.find(requests)).toEqual(["prod shop/orders"]);
  expect(world.asked.length).toBeLessThan(8);
});

test("an entry that is too large to be synced costs itself alone", async () => {
  const world = await indexedWorld("orders");
  await world.register("spoilt");
  const junk = Array.from({ length: 95_000 }, () => ({}));
  for (const name of ["a", "c"]) await world.apply(name, "orders-jobs", "spoilt");
  await world.put("CLUSTER#spoilt", "HPA#shop/b", { spec: { metrics: [sqs({ queue: "orders-jobs" }), { junk }] } });
  expect(await world.find("orders-jobs")).toEqual(["prod shop/orders", "spoilt shop/a", "spoilt shop/c"]);
  expect(world.failures).toEqual([]);
});

test("an event names 256 queues at most", async () => {
  const world = queueWorld();
  const requests = (count: number) => Array.from({ length: count }, (_, index) => ({ queue: `q${index}` }));
  expect(await world.find(requests(256))).toEqual([]);
  await expect(world.find(requests(257))).rejects.toThrow(
    "expected at most 256 different queues, got 257: send them in several",
  );
});

describe("beside a cluster that cannot be searched in time", () => {
  /** What is left of the time when so many pages of the greedy cluster were read. */
  async function greedyWorld(pagesInTime: number) {
    const world = await indexedWorld("orders");
    await world.register("greedy");
    const reads = openQueueReads(world.table);
    let pages = 0;
    const endless: typeof reads = {
      ...reads,
      async *candidates({ cluster }) {
        for (;;) {
          pages += 1;
          if (cluster !== "greedy") throw new Error(`expected no search of ${cluster}`);
          yield await Promise.resolve([]);
        }
      },
    };
    const found = await world.find("orders-jobs", { reads: endless, now: () => pages, deadline: pagesInTime });
    return { found, pages, failures: world.failures };
  }

  test("the others are found, and it is named", async () => {
    const { found, pages, failures } = await greedyWorld(20);
    expect(found).toEqual(["prod shop/orders"]);
    expect(pages).toBe(20);
    expect(failures).toEqual([
      "greedy IncompleteWake: its entries are too many to be looked through in time: HPAs that read the queue may wait for their next slot",
    ]);
  });

  test("they are found before its entries are looked through", async () => {
    const { found, pages } = await greedyWorld(1);
    expect([found, pages]).toEqual([["prod shop/orders"], 1]);
  });
});

test("of a cluster with 250 MB that no index names, 16 MB are read, and it is named", async () => {
  const world = await indexedWorld("orders");
  await world.register("greedy");
  const reads = openQueueReads(world.table);
  let read = 0;
  const hpas = await world.find("orders-jobs", {
    reads: {
      ...reads,
      async *candidates({ cluster }) {
        if (cluster !== "greedy") return;
        for (let page = 0; page < 250; page++)
          yield await Promise.resolve(Array.from({ length: 8 }, (_, index) => asHpaKey(`crowd/h${8 * page + index}`)));
      },
      hpas(cluster, keys, signal) {
        if (cluster !== "greedy") return reads.hpas(cluster, keys, signal);
        const bytes = 125 * 1024;
        read += keys.length * bytes;
        return Promise.resolve(keys.map((key) => ({ key, document: {}, bytes })));
      },
    },
  });
  expect(hpas).toEqual(["prod shop/orders"]);
  expect(read).toBeGreaterThan(16 * 2 ** 20);
  expect(read).toBeLessThan(18 * 2 ** 20);
  expect(world.failures).toEqual([
    "greedy IncompleteWake: expected at most 16 MB of metrics of the HPAs that no index names, found more (a limit of ebb): HPAs that read the queue may wait for their next slot",
  ]);
});

test("a cluster whose items cannot be read costs itself alone", async () => {
  const world = await indexedWorld("orders");
  await world.register("spoilt");
  const reads = openQueueReads(world.table);
  const hpas = await world.find("orders-jobs", {
    reads: {
      ...reads,
      indexes: (cluster, ...rest) => reads.indexes(cluster, ...rest),
      async *candidates(range) {
        await Promise.resolve();
        if (range.cluster === "spoilt") throw new Fault("timeout", "no answer");
        yield [];
      },
    },
  });
  expect(hpas).toEqual(["prod shop/orders"]);
  expect(world.failures).toEqual([
    "spoilt IncompleteWake: no answer: HPAs that read the queue may wait for their next slot",
  ]);
});
