import { openClock } from "../../world/clock";
import { memoryTable } from "../../world/memory-table";
import { openMeter } from "../../world/meter";
import type { Invocation } from "../../world/wire";
import { answerQuestions } from "../../../small-heap/answer-questions";

export interface Metered {
  /** What the world has when the story begins, and loses then. */
  readonly left: number;
  /** What the code writes into the table. */
  readonly written: number;
  /** What of it the code reads, and keeps. */
  readonly read: number;
}

const mega = 2 ** 20;
const chunk = 64 * 1024;
/** A text of its own. */
const textOf = (index: number) => String(index).padEnd(chunk, "x").split("").join("");

answerQuestions(({ left, written, read }: Metered): Promise<{ readonly heap: number }> => {
  const clock = openClock(0);
  const table = memoryTable({ now: () => clock.now, isPacked: true });
  const meter = openMeter(clock, { heapMegabytes: Infinity, steps: Infinity }, () => table.packedBytes());
  const by = { id: 1, fn: "sync" } as Invocation;
  const others = Array.from({ length: (left * mega) / chunk }, (_, index) => textOf(index));
  meter.begin();
  others.length = 0;
  meter.called(by, "queue send");
  for (let index = 0; index < (written * mega) / chunk; index += 1) {
    const Item = { pk: { S: "p" }, sk: { S: String(index) }, text: { S: textOf(index) } };
    table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
  }
  const kept = Array.from({ length: (read * mega) / chunk }, (_, index) => table.item("p", String(index)));
  meter.called(by, "table PutItem");
  const { used } = meter.ended(by);
  if (kept.includes(undefined)) throw new Error("expected to read what was written");
  return Promise.resolve({ heap: used.heap / mega });
});
