import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import { clearInterval, setInterval } from "node:timers";
import { cacheFolder } from "./cache.mjs";

const tailLines = 40;

const progressMs = 20_000;

/**
 * @typedef Step
 * @property {string} name
 * @property {string} command
 * @property {string[]} args
 * @property {string} [cwd]
 * @property {Record<string, string>} [env]
 * @property {(line: string) => void} [print] default: to standard output
 * @property {number} [expectedLines] how many lines the command prints: it then says how far it is, from time to time
 */

/**
 * Runs a command with its output in <cache>/logs/<name>.log. If it fails, the error contains the end of the log.
 * @param {Step} step
 * @returns {Promise<{lines: number}>} how many lines the command printed to standard output
 */
export async function runStep({ name, command, args, cwd, env: extra = {}, expectedLines, print = console.log }) {
  const logs = join(cacheFolder, "logs");
  await mkdir(logs, { recursive: true });
  const log = join(logs, `${name}.log`);
  const output = createWriteStream(log);
  const started = Date.now();
  print(`servers: ${name} …`);
  const child = spawn(command, args, { cwd, env: { ...env, ...extra }, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const lines = { stdout: 0, stderr: 0 };
  for (const stream of ["stdout", "stderr"]) child[stream].on("data", (chunk) => (lines[stream] += newlinesIn(chunk)));
  const progress = setInterval(() => {
    if (expectedLines === undefined) return;
    const share = Math.min(99, Math.floor(((lines.stdout + lines.stderr) / expectedLines) * 100));
    print(`servers: ${name}: ${share} % after ${secondsSince(started)} s`);
  }, progressMs);
  const [code, signal] = await once(child, "close").finally(() => clearInterval(progress));
  output.end();
  await once(output, "close");
  const seconds = secondsSince(started);
  if (code === 0) {
    print(`servers: ${name} done in ${seconds} s`);
    return { lines: lines.stdout };
  }
  const tail = (await readFile(log, "utf8")).trimEnd().split("\n").slice(-tailLines).join("\n");
  throw new Error(
    `${name} failed (${code === null ? `signal ${signal}` : `exit status ${code}`}) after ${seconds} s; all of its output: ${log}\n` +
      `${command} ${args.join(" ")}\n${tail}`,
  );
}

function secondsSince(started) {
  return Math.round((Date.now() - started) / 1000);
}

function newlinesIn(chunk) {
  let count = 0;
  for (const byte of chunk) if (byte === 10) count += 1;
  return count;
}

/**
 * @returns what the command printed
 * @throws Error `advice` when the command does not exist
 */
export async function ask(command, args, advice, extra = {}) {
  const child = spawn(command, args, { env: { ...env, ...extra }, stdio: ["ignore", "pipe", "pipe"] });
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
