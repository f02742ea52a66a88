import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { stored } from "../../../local/directory";
import { type BuiltCommand, buildCommand } from "../../how-to/build-command";
import { kinds, type RecordedKind, recordFleet } from "../../web/recorded-fleet";

/** `ebb top` as its own process on a terminal of the kernel's, which util-linux' `script` opens. */
const folder = mkdtempSync(join(tmpdir(), "ebb-top-"));
afterAll(() => rmSync(folder, { recursive: true }));
const onLinux = process.platform === "linux" ? test : test.skip;

let built: BuiltCommand;
beforeAll(async () => {
  built = buildCommand();
  const embedded = await openEmbeddedTable({ directory: join(folder, ".ebb", stored.table) });
  const hpas = (Object.keys(kinds) as RecordedKind[]).map((kind) => ({
    ...{ cluster: "prod", namespace: "shop", name: kind.toLowerCase(), kind },
  }));
  await recordFleet({ client: embedded.client, name: embedded.table }, hpas, new AbortController().signal);
  await embedded.close();
}, 120_000);

const enter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const leave = "\x1b[?7h\x1b[?25h\x1b[?1049l";

interface Shell {
  readonly child: ChildProcess;
  readonly text: () => string;
  readonly shows: (text: string) => Promise<void>;
  readonly ended: Promise<unknown>;
}

/** The modes of the terminal before and after are in files; the process's ID is in another. */
function openShell(): Shell {
  const command = `stty rows 20 columns 80; stty -a > before; sh -c 'echo $$ > pid; exec "$NODE" "$EBB" top'; echo "code $?"; stty -a > after`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    env: {
      ...process.env,
      ...built.env,
      NODE: process.execPath,
      EBB: built.command,
      EBB_CONFIG: "/nowhere",
      TERM: "xterm",
    },
  });
  let text = "";
  const waiting = new Set<() => void>();
  child.stdout.on("data", (data: Buffer) => {
    text += data.toString();
    for (const look of waiting) look();
  });
  const shows = (wanted: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!text.includes(wanted)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { child, text: () => text, shows, ended: new Promise((resolve) => child.on("close", resolve)) };
}

const file = (name: string) => readFileSync(join(folder, name), "utf8");

onLinux.each<[string, (shell: Shell) => unknown, string]>([
  ["q", ({ child }) => child.stdin?.write("q"), "code 0"],
  ["Ctrl-C", ({ child }) => child.stdin?.write("\x03"), "code 0"],
  ["SIGTERM", () => process.kill(Number(file("pid")), "SIGTERM"), "code 143"],
])("%s leaves the terminal as it was", async (_, end, code) => {
  const shell = openShell();
  await shell.shows("q ends");
  expect(shell.text()).toContain("NOT-OUR-ZERO");
  end(shell);
  await shell.ended;
  const [before = "", screen = ""] = shell.text().split(enter);
  const [, after = ""] = screen.split(leave);
  // The shell's own word for a signal.
  const lines = after.split("\r\n").filter((line) => !["", "Terminated"].includes(line));
  expect([before, lines]).toEqual(["", [code]]);
  expect(file("after")).toBe(file("before"));
});

onLinux("a terminal that closes ends it", async () => {
  const shell = openShell();
  await shell.shows("q ends");
  const pid = Number(file("pid"));
  shell.child.kill("SIGKILL");
  await shell.ended;
  const isAlive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  while (isAlive()) await new Promise(setImmediate);
});
