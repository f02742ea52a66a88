import { PassThrough, Readable } from "node:stream";
import { runEbb } from "../../../../cli/program";
import { toItem } from "../../../../lib/table/items/attributes";
import { hpaItemKey } from "../../../../lib/table/items/keys";
import { answerQuestions } from "../../../small-heap/answer-questions";
import { openDeployment, queueMetric, specOf } from "../../tenants/deployment";

export interface Asked {
  /** Of 127 KB each, beside a small HPA. */
  readonly entries: number;
  readonly verb: readonly string[];
}

export interface Listed {
  readonly exitCode: number;
  readonly stderr: string;
  /** The lines that name the small HPA. */
  readonly small: readonly string[];
  /** Lines that say that an entry is beyond ebb's limit. */
  readonly refused: number;
  readonly lines: number;
}

const text = "x".repeat(127 * 1024);

/** A command in a process with a small heap, on a cluster whose entries are far more than its memory. */
answerQuestions(async ({ entries, verb }: Asked): Promise<Listed> => {
  const day = openDeployment(["prod"]);
  await day.register("prod");
  await day.add("prod", "shop/small", [queueMetric("jobs")]);
  day.values.set("jobs", 12);
  await day.minute();
  // All have one text, so the table takes no memory for them. What the command reads is a text for each.
  const large = toItem({ metadata: { annotations: { note: text } }, spec: specOf("large", [queueMetric("jobs")]) });
  for (let index = 0; index < entries; index++) {
    const Item = { ...large, ...toItem(hpaItemKey("prod", `crowd/large-${index}`)) };
    day.items.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
  }
  // `ebb doctor` also describes the table, which this one does not know.
  const execute = day.items.execute.bind(day.items);
  day.items.execute = (request) => execute(request) ?? {};
  const [stdout, stderr] = [new PassThrough({ highWaterMark: 2 ** 30 }), new PassThrough({ highWaterMark: 2 ** 30 })];
  let exitCode = 0;
  await runEbb([...verb, "--cluster", "prod", "--table", "ebb"], {
    ...{ env: { EBB_CONFIG: "/nowhere/ebb.yaml", HOME: "/nowhere" }, stdout, stderr, now: day.now },
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    pause: () => Promise.resolve(),
    openTable: () => Promise.resolve({ table: day.table, close: () => Promise.resolve() }),
    interrupted: new AbortController().signal,
    exitWith: (code) => (exitCode = code),
  });
  const lines = String(stdout.read() ?? "").split("\n");
  return {
    exitCode,
    stderr: String(stderr.read() ?? "").slice(0, 1_000),
    small: lines.filter((line) => line.includes("small")).slice(0, 5),
    refused: lines.filter((line) => line.includes("(a limit of ebb)")).length,
    lines: lines.length,
  };
});
