import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import { cacheFolder } from "./cache.mjs";

const tailLines = 40;

/**
 * Runs a command with its output in <cache>/logs/<name>.log. Prints nothing; if the command fails, the error contains
 * the end of the log.
 * @param {{name: string, command: string, args: string[], cwd?: string, env?: Record<string, string>}} step
 */
export async function runStep({ name, command, args, cwd, env: extra = {} }) {
  const logs = join(cacheFolder, "logs");
  await mkdir(logs, { recursive: true });
  const log = join(logs, `${name}.log`);
  const output = createWriteStream(log);
  const started = Date.now();
  console.log(`servers: ${name} …`);
  const child = spawn(command, args, { cwd, env: { ...env, ...extra }, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const [code, signal] = await once(child, "close");
  output.end();
  await once(output, "close");
  const seconds = Math.round((Date.now() - started) / 1000);
  if (code === 0) return console.log(`servers: ${name} done in ${seconds} s`);
  const tail = (await readFile(log, "utf8")).trimEnd().split("\n").slice(-tailLines).join("\n");
  throw new Error(
    `${name} failed (${code === null ? `signal ${signal}` : `exit status ${code}`}) after ${seconds} s; all of its output: ${log}\n` +
      `${command} ${args.join(" ")}\n${tail}`,
  );
}

/**
 * @returns what the command printed
 * @throws Error `advice` when the command does not exist
 */
export async function ask(command, args, advice) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  child.stderr.on("data", (chunk) => (printed += chunk));
  const closed = once(child, "close").catch((cause) => {
    throw new Error(`${command} is missing: ${advice}`, { cause });
  });
  const [code] = await closed;
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${printed.trim()}\n${advice}`);
  return printed.trim();
}
