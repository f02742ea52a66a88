import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, win32 } from "node:path";

export interface BrowserHost {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the file goes. */
  readonly folder: string;
  /** Once, if the program is missing or says that it failed. */
  readonly failed: (problem: string) => void;
}

/** No shell reads the file's name. Windows looks for a program without a folder in the current one first. */
export function browserCommand(
  file: string,
  { platform, env }: Pick<BrowserHost, "platform" | "env">,
): readonly string[] {
  switch (platform) {
    case "darwin":
      return ["open", file];
    case "win32":
      return [win32.join(env["SystemRoot"] ?? "C:\\Windows", "explorer.exe"), file];
    default:
      return ["xdg-open", file];
  }
}

/**
 * Through a file that others cannot read: every user of this machine sees a program's arguments.
 *
 * @returns a function that removes the file.
 */
export async function openInBrowser(url: string, host: BrowserHost): Promise<() => Promise<void>> {
  const { platform, env, failed } = host;
  let isOver = false;
  const fail = (why: string) => {
    if (!isOver) failed(`no browser was opened: ${why}; open the address yourself`);
    isOver = true;
  };
  const folder = await folderWith(url, host.folder).catch((error: unknown) => fail((error as Error).message));
  if (folder === undefined) return () => Promise.resolve();
  const [command = "", ...args] = browserCommand(join(folder, page), host);
  const child = spawn(command, args, { stdio: "ignore", detached: true, env });
  child.on("error", ({ message, code }: NodeJS.ErrnoException) =>
    fail(code === "ENOENT" ? `${command} is not installed` : message),
  );
  // Windows' explorer.exe ends with 1 after it has opened a file.
  child.on("exit", (status) => {
    if (status !== 0 && platform !== "win32") fail(`${command} ended with ${status ?? "a signal"}`);
  });
  child.unref();
  return async () => {
    isOver = true;
    await rm(folder, { recursive: true, force: true });
  };
}

const page = "open.html";

async function folderWith(url: string, parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, "ebb-dashboard-"));
  const text = `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`;
  await writeFile(join(folder, page), text, { mode: 0o600 });
  return folder;
}
