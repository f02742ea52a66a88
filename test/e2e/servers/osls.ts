import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { Emulator } from "./emulator";

const repository = resolve(__dirname, "../../..");
export const osls = resolve(repository, "node_modules/.bin/osls");
const timeoutMs = 180_000;

/**
 * Runs the Serverless Framework on this repository, with the emulator as its AWS. @throws Error with all that it
 * printed
 */
export async function runOsls(emulator: Emulator, args: readonly string[]): Promise<void> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, CI: "true", SLS_INTERACTIVE_SETUP_ENABLE: "", ...emulator.env };
  try {
    await promisify(execFile)(osls, args, { cwd: repository, env, timeout: timeoutMs });
  } catch (cause) {
    const { stdout, stderr, message } = cause as Error & { stdout?: string; stderr?: string };
    throw new Error(`osls ${args.join(" ")}: ${message}\n${stdout ?? ""}${stderr ?? ""}`, { cause });
  }
}
