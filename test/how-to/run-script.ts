import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** What the script printed on stdout, then on stderr, and its exit status. */
export async function runScript(
  script: string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly timeout?: number },
): Promise<{ readonly got: string; readonly status: number | null }> {
  // With a socket as stdin, bash would read its rc file, as for rshd.
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    timeout: 60_000,
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { got: stdout + stderr, status };
}
