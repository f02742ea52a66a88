import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { validateHpaEntry } from "../../lib/model/entry/validate-hpa-entry";
import { eventually } from "./servers/eventually";
import { freePorts } from "./servers/free-ports";

/** The workers of docs/busy-pods.md: 1 while a job runs, and 0 before and after it. */
const folder = resolve(__dirname, "../../examples/busy-workers");
const running: ChildProcess[] = [];

afterAll(() => {
  // Go runs what it has built as a process of its own.
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL");
});

test.each([
  ["python3", "worker.py"],
  ["go", "run", "worker.go"],
  ["node", "worker.mjs"],
])(
  "%s %s",
  async (command, ...args) => {
    const [port = 0] = await freePorts(1);
    const child = spawn(command, [...args, String(port)], {
      cwd: folder,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    running.push(child);
    const busy = async () => (await fetch(`http://127.0.0.1:${port}/busy`)).text();
    const eventuallyBusy = (expected: string) =>
      eventually(
        `/busy is ${expected}`,
        async () => {
          const found = await busy();
          if (found !== expected) throw new Error(`it is ${found}`);
        },
        110_000,
      );
    await eventuallyBusy("0");
    const done = join(process.env["TMPDIR"] ?? "/tmp", `busy-${process.pid}-${port}`);
    child.stdin?.write(`while [ ! -e ${done} ]; do sleep 0.1; done; rm ${done}\n`);
    await eventuallyBusy("1");
    spawn("touch", [done]);
    await eventuallyBusy("0");
  },
  120_000,
);

test("their HPA is valid", () => {
  const document: unknown = parse(readFileSync(join(folder, "hpa.yaml"), "utf8"));
  const hpa = document as { readonly metadata: object };
  expect(validateHpaEntry({ ...hpa, metadata: { ...hpa.metadata, namespace: "default" } }).errors).toEqual([]);
});
