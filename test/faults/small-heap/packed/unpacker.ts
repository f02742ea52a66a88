import { PassThrough, Readable } from "node:stream";
import { runEbb } from "../../../../cli/program";
import { hashOfRange } from "../../../../lib/model/stored/queue-index";
import type { Item } from "../../../../lib/table/items/attributes";
import { answerQuestions } from "../../../small-heap/answer-questions";
import type { WireItem } from "./bombs";
import { type Deployment, openDeployment, queueMetric } from "../../tenants/deployment";

export interface Asked {
  readonly bombs: readonly WireItem[];
}

export interface Answered {
  /** What failed in a function as a whole. */
  readonly broken: readonly string[];
  /** Of the neighbour: by a slot, by a wake, by the poller. */
  readonly replicas: readonly number[];
  /** Lines on standard error, and exit codes, of the commands. */
  readonly commands: readonly string[];
  /** The functions and commands that have read the bomb. */
  readonly unpacked: readonly string[];
}

const neighbour = "zzz";

/** A day of a deployment with a bomb in the table, every function and command in one process as small as a function. */
answerQuestions(async ({ bombs }: Asked): Promise<Answered> => {
  const items = bombs as unknown as readonly Item[];
  const unpacked = new Set<string>();
  let isPlanted = false;
  let running = "";
  const begins = (name: string) => {
    running = name;
    if (!isPlanted) return;
    for (const item of items) write(day, item);
    trust(day, items);
  };
  const day = openDeployment(["crowd", neighbour], begins);
  hearReads(day, items, () => unpacked.add(running));
  for (const cluster of ["crowd", neighbour]) {
    await day.register(cluster);
    await day.add(cluster, `${cluster}/c0`, [queueMetric(`${cluster}-jobs`)]);
  }
  // Its slots are a minute apart: the slots between them keep what LATEST says of it.
  const slow = { metadata: { annotations: { "ebb.dev/sync-period": "60s" } } };
  await day.add("crowd", "crowd/slow", [queueMetric("crowd-jobs")], slow);
  const replicas: number[] = [];
  const note = () => replicas.push(day.farOf(neighbour).scales.get(`${neighbour}/c0`)?.replicas ?? -1);
  const load = (value: number) => {
    for (const cluster of ["crowd", neighbour]) day.values.set(`${cluster}-jobs`, value);
  };

  await day.minute();
  isPlanted = true;
  load(12);
  await day.minute();
  note();
  load(50);
  await day.wake({ Records: [sns("crowd-jobs"), sns(`${neighbour}-jobs`)] });
  note();
  load(0);
  await day.minute();
  load(4);
  await day.watch(6_000);
  await day.deliver(day.now());
  note();
  const commands: string[] = [];
  for (const cluster of ["crowd", neighbour])
    for (const verb of verbs) {
      begins(verb.slice(0, 2).join(" "));
      const args = [...verb, ...(verb.at(-1) === "-n" ? [cluster] : []), "--cluster", cluster, "--table", "ebb"];
      commands.push(`${verb.slice(0, 2).join(" ")} of ${cluster}: ${await ebb(day, args)}`);
    }
  return { broken: day.broken, replicas, commands, unpacked: [...unpacked] };
});

const verbs = [
  ["get", "hpa", "-A"],
  ["describe", "hpa", "c0", "-n"],
  ["explain", "hpa", "c0", "-n"],
  ["get", "events", "-A"],
  ["status"],
  ["doctor"],
];

/** Of these items. */
function hearReads({ items: table }: Deployment, items: readonly Item[], hear: () => void): void {
  const execute = table.execute.bind(table);
  const packed = new Set(items.map(({ packed }) => packed));
  table.execute = (request) => {
    // `ebb doctor` also describes the table, which this one does not know.
    const answer = (execute(request) ?? {}) as {
      readonly Item?: Item;
      readonly Items?: readonly Item[];
      readonly Responses?: Readonly<Record<string, readonly Item[]>>;
    };
    const { Item: one, Items: all = [], Responses: batches = {} } = answer;
    const found = [...(one ? [one] : []), ...all, ...Object.values(batches).flat()];
    if (found.some(({ packed: own }) => own !== undefined && packed.has(own))) hear();
    return answer;
  };
}

/** @returns the exit code, and what it says on standard error. */
async function ebb({ table, now }: Deployment, args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough({ highWaterMark: 2 ** 30 }), new PassThrough({ highWaterMark: 2 ** 30 })];
  let exitCode = 0;
  await runEbb(args, {
    ...{ env: { EBB_CONFIG: "/nowhere/ebb.yaml", HOME: "/nowhere" }, stdout, stderr, now },
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    pause: () => Promise.resolve(),
    openTable: () => Promise.resolve({ table, close: () => Promise.resolve() }),
    interrupted: new AbortController().signal,
    exitWith: (code) => (exitCode = code),
  });
  return `${exitCode} ${String(stderr.read() ?? "").slice(0, 300)}`;
}

const sns = (queue: string) => ({ Sns: { Message: JSON.stringify({ queue }) } });

function write(day: Deployment, Item: Item): void {
  day.items.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
}

/** The SHARD item says that these are its items, and that they are due to be read. */
function trust(day: Deployment, items: readonly Item[]): void {
  const shard = day.itemOf("SHARD", "crowd#");
  const version = shard?.["version"]?.N;
  if (shard === undefined || version === undefined) throw new Error("expected a SHARD item of crowd, got none");
  const at = { N: String(day.now() - 3_600_000) };
  const hasIndex = items.some(({ pk }) => pk?.S === "INDEX#crowd");
  const mark = { hash: { S: "bomb" }, range: { N: String(hashOfRange({ from: "", to: null })) }, at };
  write(day, {
    ...{ ...shard, latest: at, idle: { M: { hash: { S: `bomb ${day.now()}` }, at } } },
    ...(hasIndex && { index: { M: { version: { N: version }, since: { N: version }, mark: { M: mark } } } }),
  });
}
