import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { Emulator } from "./emulator";

const repository = resolve(__dirname, "../../..");
export const osls = resolve(repository, "node_modules/.bin/osls");
const timeoutMs = 180_000;

/**
 * Runs the Serverless Framework on this repository, with the emulator as its AWS. Resolves to all that it printed, and
 * rejects with it.
 */
export async function runOsls(emulator: Emulator, args: readonly string[]): Promise<string> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, CI: "true", SLS_INTERACTIVE_SETUP_ENABLE: "", ...emulator.env };
  try {
    const { stdout, stderr } = await promisify(execFile)(osls, args, { cwd: repository, env, timeout: timeoutMs });
    return stdout + stderr;
  } catch (cause) {
    const { stdout, stderr, message } = cause as Error & { stdout?: string; stderr?: string };
    throw new Error(`osls ${args.join(" ")}: ${message}\n${stdout ?? ""}${stderr ?? ""}`, { cause });
  }
}
