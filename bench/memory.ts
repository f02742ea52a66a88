import type { RequestListener } from "node:http";
import { bombs, longLies, pods, stream, type Send } from "../test/faults/small-heap/cluster/lying-servers";
import type { Job, Outcomes } from "../test/faults/small-heap/cluster/reader";
import { serveOnLoopback } from "../test/backends/loopback";
import { runBench } from "./harness/backend-process";
import { judge } from "./harness/report";
import { functionMegabytes, openSmallHeap } from "../test/small-heap/small-heap";

/**
 * The memory of a process with a heap of 256 MB that reads eight answers at once: lists of 10,000 pods of 8 KB, 640 MB
 * in all, and lies of every kind. It fails above the 512 MB of a function, and when a list that fits is not read.
 */
const cases: Readonly<Record<string, Send>> = {
  "10,000 pods": (response) => stream(response, pods(10_000)),
  ...bombs,
  ...longLies,
};

async function main(): Promise<void> {
  for (const [name, send] of Object.entries(cases)) {
    const answer: RequestListener = (_request, response) => void send(response);
    const servers = await Promise.all(Array.from({ length: 8 }, () => serveOnLoopback(answer)));
    const reader = openSmallHeap<Job, { readonly outcomes: Outcomes }>("test/faults/small-heap/cluster/reader.ts");
    try {
      const { outcomes, megabytes } = await reader.ask({ urls: servers.map(({ url }) => url) });
      const read = outcomes.filter((outcome) => outcome.pods !== undefined).length;
      judge(`${name}, eight at once, ${read} of 8 read`, megabytes, functionMegabytes, " MB");
      if (read !== (name === "10,000 pods" ? 8 : 0)) process.exitCode = 1;
    } finally {
      await Promise.all([reader, ...servers].map((each) => each.close()));
    }
  }
}

runBench(main);
