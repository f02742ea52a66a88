import { asHpaKey, type HpaKey } from "../../../lib/model/hpa-key";
import {
  type HpaMetrics,
  type IndexedShard,
  mostRequestedQueues,
  mostRequestedSources,
  type QueueReads,
} from "../../../lib/model/ports/queue-reads";
import { emptyIndex, hashOfRange } from "../../../lib/model/stored/queue-index";
import { hashesFor, hashOfName } from "../../../lib/sync/wake/queues-of";
import { searchCluster } from "../../../lib/sync/wake/search-cluster";

/** What the search of one cluster asks of the table, and when it lets other clusters go first. */
const { signal } = new AbortController();
const key = (name: string) => asHpaKey(`shop/${name}`);
const metric = (name: string, labels: object = {}) => ({
  external: { metric: { name, selector: { matchLabels: labels } } },
});
const reading = (labels: object, name = "sqs") => ({ spec: { metrics: [metric(name, labels)] } });

interface World {
  readonly queues?: readonly string[];
  readonly shards?: readonly IndexedShard[];
  readonly indexes?: readonly {
    readonly from: string;
    readonly hash: string;
    readonly queues?: readonly number[];
    readonly more?: number;
  }[];
  readonly indexed?: Readonly<
    Record<string, { readonly named?: readonly HpaKey[]; readonly more?: readonly HpaKey[] }>
  >;
  /** Pages of entries that no index names. */
  readonly pages?: readonly (readonly string[])[];
  readonly documents?: Readonly<Record<string, object>>;
  readonly bytes?: number;
  readonly sources?: Readonly<Record<string, unknown>>;
  /** Pages of sources that name the queue. */
  readonly naming?: readonly Readonly<Record<string, unknown>>[];
}

async function search(world: World) {
  const asked: unknown[][] = [];
  const reads: QueueReads = {
    clusters: () => Promise.reject(new Error("expected no search of clusters")),
    shards: () => Promise.reject(new Error("expected no search of shards")),
    async *indexes() {
      asked.push(["indexes"]);
      await Promise.resolve();
      for (const { queues = [], more = 0, ...one } of world.indexes ?? [])
        yield { ...one, more, queues: Uint32Array.from(queues) };
    },
    indexed(_cluster, requested) {
      asked.push(["indexed", ...requested.map(({ from, hashes }) => `${from}:${hashes.length}`)]);
      const found = requested.flatMap(({ from }) => {
        const { named = [], more = [] } = world.indexed?.[from] ?? {};
        return world.indexed?.[from] === undefined ? [] : [[from, { named, more }] as const];
      });
      return Promise.resolve(new Map(found));
    },
    hpas(_cluster, keys) {
      asked.push(["hpas", keys.length]);
      const found = keys.map((one): HpaMetrics => {
        const document = world.documents?.[one] ?? reading({ queue: "mail" });
        return { key: one, document, bytes: world.bytes ?? 100 };
      });
      return Promise.resolve(found);
    },
    sources(_cluster, names) {
      asked.push(["sources", ...names]);
      const known = world.sources ?? {};
      return Promise.resolve(new Map(names.filter((name) => name in known).map((name) => [name, known[name]])));
    },
    async *sourcesNaming(_cluster, queues) {
      asked.push(["naming", ...queues]);
      await Promise.resolve();
      for (const page of world.naming ?? []) yield new Map(Object.entries(page));
    },
    async *candidates({ from, to }, { queues, sources }) {
      asked.push(["candidates", from, to, queues.length, sources?.join()]);
      await Promise.resolve();
      for (const page of world.pages ?? []) yield page.map(key);
    },
  };
  const wanted = (world.queues ?? ["mail"]).map((name) => ({ name, hashes: hashesFor(name) }));
  const steps = searchCluster(reads, {
    ...{ cluster: "prod", shards: world.shards ?? [], wanted, signal },
    limited: (read) => read(),
  });
  const found: HpaKey[] = [];
  const stages: string[] = [];
  for await (const step of steps) {
    found.push(...step.found);
    if (stages.at(-1) !== step.next) stages.push(step.next);
  }
  return { found, stages, asked, askedFor: (what: string) => asked.filter(([name]) => name === what) };
}

const shard = (from: string, to: string | null, hash: string, lacks: readonly number[] = []): IndexedShard => ({
  ...{ cluster: "prod", from, to, version: 1 },
  index: {
    ...{ version: 1, since: 1, mark: { hash, range: hashOfRange({ from, to }), at: 1 } },
    ...(lacks.length > 0 && { lacks: lacks.map((queue) => [queue, 1, 1] as const) }),
  },
});
const mail = hashOfName("mail") ?? 0;
const all = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);

describe("indexes", () => {
  test("of shards without HPAs that read queues are not even read", async () => {
    const { asked, stages } = await search({ shards: [shard("", null, emptyIndex)] });
    expect([asked, stages]).toEqual([[], ["indexes"]]);
  });

  test("that name the queue are read eight at a time, and each HPA is compared, 16 at a time", async () => {
    const froms = ["", ...all("s", 8)].sort();
    const shards = froms.map((from, at) => shard(from, froms[at + 1] ?? null, `h${at}`));
    const indexes = froms.map((from, at) => ({ from, hash: `h${at}`, queues: [mail] }));
    const indexed = Object.fromEntries(froms.map((from) => [from, { named: [key(`${from}x`), key(`${from}y`)] }]));
    const { found, asked, stages } = await search({ shards, indexes, indexed });
    expect(found).toHaveLength(18);
    expect(asked).toEqual([
      ["indexes"],
      ["indexed", ...froms.slice(0, 8).map((from) => `${from}:1`)],
      ["indexed", `${froms[8]}:1`],
      ["hpas", 16],
      ["sources", "sqs"],
      ["hpas", 2],
    ]);
    expect(stages).toEqual(["indexes", "named", "indexes"]);
  });

  test("that do not name the queue are not read, and nothing else is searched", async () => {
    const shards = [shard("", "shop/n", "h0"), shard("shop/n", null, "h1")];
    const indexes = [
      { from: "", hash: "h0", queues: [1] },
      { from: "shop/n", hash: "h1", queues: [2], more: 0 },
    ];
    expect((await search({ shards, indexes })).asked).toEqual([["indexes"]]);
  });

  test("with HPAs that have too many queues are read for these, after what is named", async () => {
    const shards = [shard("", null, "h")];
    const indexed = { "": { named: [key("a")], more: [key("b")] } };
    const { found, stages, asked } = await search({ shards, indexes: [{ from: "", hash: "h", more: 1 }], indexed });
    expect(asked[1]).toEqual(["indexed", ":0"]);
    expect([found, stages]).toEqual([
      [key("a"), key("b")],
      ["indexes", "named", "notNamed", "indexes"],
    ]);
  });

  test("of shards that are gone say nothing, and shards without one are searched at once", async () => {
    const [left, right] = [shard("", "shop/n", "h"), { cluster: "prod", from: "shop/n", to: null, version: 1 }];
    const gone = { from: "shop/z", hash: "z", queues: [mail] };
    const { asked } = await search({ shards: [left, right], indexes: [{ from: "", hash: "h" }, gone] });
    expect(asked).toEqual([["indexes"], ["naming", "mail"], ["candidates", "shop/n", null, 1, ""]]);
    const { asked: without } = await search({ shards: [right] });
    expect(without.map(([what]) => what)).toEqual(["naming", "candidates"]);
  });

  test.each<[string, Partial<World>]>([
    ["is not there", { indexes: [] }],
    [
      "is another than the shard says",
      {
        indexes: [{ from: "shop/n", hash: "late", queues: [mail] }],
        indexed: { "shop/n": { named: [key("late")] } },
      },
    ],
    ["cannot be read", { indexes: [{ from: "shop/n", hash: "h1", queues: [mail] }], indexed: {} }],
  ])("an item that %s: its range alone is searched", async (_what, more) => {
    const shards = [shard("", "shop/n", emptyIndex), shard("shop/n", null, "h1")];
    const { askedFor, found } = await search({ shards, pages: [["z"]], ...more });
    expect(askedFor("candidates")).toEqual([["candidates", "shop/n", null, 1, ""]]);
    expect(found).toEqual([key("z")]);
  });

  test.each([
    ["lack the queue: the range is searched", [mail], 1],
    ["lack another one: they are read", [mail + 1], 0],
  ])("that %s", async (_what, lacks, searches) => {
    const shards = [shard("", null, "h", lacks)];
    const { askedFor } = await search({ shards, indexes: [{ from: "", hash: "h" }] });
    expect(askedFor("candidates")).toHaveLength(searches);
  });
});

describe("entries that no index names", () => {
  test("are filtered by as many queues at once as the table takes", async () => {
    const queues = all("q", mostRequestedQueues + 1);
    const { askedFor } = await search({ queues });
    expect(askedFor("naming").map((one) => one.length - 1)).toEqual([mostRequestedQueues, 1]);
    expect(askedFor("candidates").map(([, , , count]) => count)).toEqual([mostRequestedQueues, 1]);
  });

  test("are not searched for what no queue can be called", async () => {
    expect((await search({ queues: [""] })).asked).toEqual([]);
  });

  test.each([
    ["as many sources as the table takes", mostRequestedSources, all("s", mostRequestedSources).join()],
    ["any source, if more name it", mostRequestedSources + 1, undefined],
  ])("are filtered by %s", async (_what, count, expected) => {
    const names = Object.fromEntries(
      all("s", count).map((name) => [name, { kind: "sqs", parameters: { queue: "mail" } }]),
    );
    const others = { near: { kind: "sqs", parameters: { queue: "mail-2" } }, text: "no" };
    const { askedFor } = await search({ naming: [others, names] });
    expect(askedFor("candidates")[0]?.[4]).toEqual(expected);
  });

  test("are filtered by any source, if a later page of them has one more than the table takes", async () => {
    const named = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, { kind: "sqs", parameters: { queue: "mail" } }]));
    const { askedFor } = await search({ naming: [named(all("s", mostRequestedSources)), named(["one-more"])] });
    expect(askedFor("candidates")[0]?.[4]).toBeUndefined();
  });

  test("read any of the wanted queues", async () => {
    const pages = [["a", "b", "c"]];
    const documents = { [key("a")]: reading({ queue: "post" }), [key("b")]: reading({ queue: "x" }) };
    const naming = [{ jobs: { kind: "sqs", parameters: { queue: "post" } } }];
    const { found, askedFor } = await search({ queues: ["mail", "post"], pages, documents, naming });
    expect(found).toEqual([key("a"), key("c")]);
    expect(askedFor("candidates")[0]?.[4]).toBe("jobs");
  });

  test("are compared page by page, so that other clusters go first", async () => {
    const { found, stages, askedFor } = await search({
      pages: [["a", "b"], [], ["c"]],
      documents: { [key("b")]: reading({ queue: "post" }) },
    });
    expect([found, stages]).toEqual([
      [key("a"), key("c")],
      ["pages", "indexes"],
    ]);
    expect(askedFor("hpas")).toEqual([
      ["hpas", 2],
      ["hpas", 1],
    ]);
  });

  test("are read up to 16 MB", async () => {
    const mb = 2 ** 20;
    const pages = all("h", 40).map((name) => [name]);
    expect((await search({ pages: pages.slice(0, 17), bytes: mb })).found).toHaveLength(17);
    await expect(search({ pages: pages.slice(0, 18), bytes: mb })).rejects.toMatchObject({ kind: "badEntry" });
  });

  test("count, and those that an index names do not: these are few", async () => {
    const shards = [shard("", null, "h")];
    const indexes = [{ from: "", hash: "h", queues: [mail] }];
    const named = all("h", 40).map(key);
    const { found } = await search({ shards, indexes, indexed: { "": { named } }, bytes: 2 ** 20 });
    expect(found).toHaveLength(40);
    const many = search({ shards, indexes, indexed: { "": { more: named } }, bytes: 2 ** 20 });
    await expect(many).rejects.toMatchObject({ message: expect.stringContaining("at most 16 MB") as string });
  });
});

describe("the sources of compared HPAs", () => {
  const documents = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name, at) => [key(`h${at}`), reading({}, name)]));
  const pages = (count: number) => [all("h", count)];

  test("are read once, 25 at a time, and no name that no entry can have", async () => {
    const names = [...all("s", 26), "s0", "", "x".repeat(1_001), "y".repeat(1_000)];
    const { askedFor, found } = await search({
      ...{ documents: documents(...names), pages: all("h", names.length).map((name) => [name]) },
      sources: { s3: { kind: "sqs", parameters: { queue: "mail" } } },
    });
    expect(askedFor("sources").map(([, ...some]) => some)).toEqual([
      ...all("s", 26).map((name) => [name]),
      ["y".repeat(1_000)],
    ]);
    expect(found).toEqual([key("h3")]);
    const together = await search({
      documents: { [key("h0")]: { spec: { metrics: all("s", 26).map((name) => metric(name)) } } },
      pages: pages(1),
    });
    expect(together.askedFor("sources").map((one) => one.length - 1)).toEqual([25, 1]);
  });

  test.each<[string, unknown, boolean]>([
    ["by its queue", { kind: "sqs", parameters: { queue: "mail" } }, true],
    ["by its list", { kind: "sqs", parameters: { queues: "a, mail" } }, true],
    ["by its prefix", { kind: "sqs", parameters: { queuePrefix: "ma" } }, true],
    ["by another queue", { kind: "sqs", parameters: { queue: "post", queues: "posts", queuePrefix: "p" } }, false],
    ["by a prefix longer than a queue's name", { kind: "sqs", parameters: { queuePrefix: "m".repeat(81) } }, false],
    ["by no text", { kind: "sqs", parameters: { queue: 7, queues: 7, queuePrefix: 7 } }, false],
    ["without parameters", { kind: "sqs" }, false],
    ["of another kind", { kind: "http", parameters: { queue: "mail" } }, false],
    ["that is no map", "mail", false],
    ["that is gone", undefined, false],
  ])("say whether it reads the queue: %s", async (_what, spec, isFound) => {
    const sources = spec === undefined ? {} : { jobs: spec };
    const { found } = await search({ documents: documents("jobs"), pages: pages(1), sources });
    expect(found).toEqual(isFound ? [key("h0")] : []);
  });

  test("a metric called sqs reads the queue of its labels, unless a source of another kind has the name", async () => {
    const found = async (sources: Readonly<Record<string, unknown>>) =>
      (await search({ pages: pages(1), sources })).found;
    expect(await found({})).toEqual([key("h0")]);
    expect(await found({ sqs: { kind: "http" } })).toEqual([]);
    expect(await found({ sqs: { kind: "sqs", parameters: { queue: "post" } } })).toEqual([key("h0")]);
  });

  test("are forgotten when they are too many to keep, and then read again", async () => {
    const many = (from: number, count: number) => ({
      spec: { metrics: Array.from({ length: count }, (_, at) => metric(`s${from + at}`)) },
    });
    const readsOfFirst = async (count: number) => {
      const documents = { [key("h0")]: many(0, count), [key("h1")]: many(count, 1), [key("h2")]: many(0, 1) };
      const { askedFor } = await search({ documents, pages: [["h0"], ["h1"], ["h2"]] });
      return askedFor("sources").filter(([, name]) => name === "s0").length;
    };
    expect([await readsOfFirst(19_999), await readsOfFirst(20_000)]).toEqual([1, 2]);
  });
});
