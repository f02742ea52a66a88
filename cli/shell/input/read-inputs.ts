import { createReadStream, type Dirent, type Stats } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Readable } from "node:stream";
import { type Failure, failure, isFailure } from "../failure";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readAll } from "./read-bytes";
import { isUrl, readUrl } from "./read-url";

export interface Input {
  readonly name: string;
  readonly text: string;
}

export interface InputOptions {
  /** Except hidden subfolders (.git, the .ebb-schema of `ebb init`). */
  readonly recursive?: boolean;
  readonly stdin: Readable;
  /** Takes what is wrong with a file, which is left out then. Default: it is thrown. */
  readonly leaveOut?: (why: string) => void;
}

const stdinName = "standard input";
const extensions = [".json", ".yaml", ".yml"];

/**
 * A file, a folder (its *.json, *.yaml and *.yml files, by name), a URL, or "-" for standard input.
 *
 * @throws Failure
 */
export async function readInputs(paths: readonly string[], options: InputOptions): Promise<readonly Input[]> {
  refuseStdinTwice(paths);
  const inputs: Input[] = [];
  for (const path of paths) {
    if (path === "-") inputs.push({ name: stdinName, text: await readAll(options.stdin, stdinName) });
    else if (isUrl(path)) inputs.push({ name: path, text: await readUrl(path) });
    else
      for (const file of await filesOf(path, options)) {
        const text = await readFileAt(file).catch((error: unknown) => leaveOut(error, options));
        if (text !== undefined) inputs.push({ name: file, text });
      }
  }
  return inputs;
}

/** @throws Failure */
export function refuseStdinTwice(paths: readonly string[]): void {
  if (paths.filter((path) => path === "-").length > 1)
    throw failure("standard input can be read only once, got -f - twice");
}

async function readFileAt(path: string): Promise<string> {
  return readable(path, readAll(createReadStream(path), path));
}

function leaveOut(error: unknown, options: InputOptions): undefined {
  if (options.leaveOut === undefined || !isFailure(error)) throw error;
  options.leaveOut(error.message);
}

export interface NamedInputs {
  readonly filename?: readonly string[];
  readonly kustomize?: string;
}

/** @throws Failure, in kubectl's words, unless exactly one of -f and -k is given */
export async function readNamed(
  { filename, kustomize }: NamedInputs,
  options: InputOptions,
): Promise<readonly Input[]> {
  if (filename === undefined && kustomize === undefined) throw failure("must specify one of -f and -k");
  if (kustomize === undefined) return await readInputs(filename ?? [], options);
  if (filename !== undefined || options.recursive === true)
    throw failure(`only one of -f or -k can be specified, and -k cannot be used with -R`);
  return [{ name: `kustomization ${kustomize}`, text: await kustomized(kustomize) }];
}

async function filesOf(path: string, options: InputOptions): Promise<readonly string[]> {
  if (!(await readable(path, stat(path))).isDirectory()) return [path];
  const files = await filesIn(path, options);
  if (files.length === 0)
    throw failure(`error reading [${path}]: recognized file extensions are [${extensions.join(" ")}]`);
  return files;
}

async function filesIn(folder: string, options: InputOptions): Promise<readonly string[]> {
  const entries = await readable(folder, readdir(folder, { withFileTypes: true }));
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const isWanted = extensions.includes(extname(entry.name));
    try {
      const target = entry.isSymbolicLink() ? await readable(path, stat(path)) : entry;
      if (target.isDirectory()) {
        const isOwn = !entry.isSymbolicLink() && !entry.name.startsWith(".");
        if (options.recursive === true && isOwn) found.push(...(await filesIn(path, options)));
      } else if (isWanted) found.push(readableFile(path, target));
    } catch (error) {
      if (isWanted || !entry.isSymbolicLink()) leaveOut(error, options);
    }
  }
  return found;
}

/** A FIFO without a writer would hang. Named by itself, it is read. */
function readableFile(path: string, target: Dirent | Stats): string {
  if (target.isFile()) return path;
  throw failure(`the path "${path}" cannot be read: expected a file in a folder, got a FIFO, socket or device`);
}

async function readable<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw isFailure(error) ? error : unreadable(path, error);
  }
}

export function isOfFile(error: unknown): boolean {
  return ["open", "read"].includes((error as NodeJS.ErrnoException).syscall ?? "");
}

/** For `ebb evaluate FILE | head`. */
export function isClosedPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EPIPE";
}

/** @throws Failure for a missing or unreadable file */
export async function requireFile(path: string): Promise<void> {
  await access(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
}

/** Replaces "ENOENT: no such file or directory, open 'x'". */
export function unreadable(path: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return failure(`the path "${path}" does not exist`);
  if (code === "EISDIR") return failure(`the path "${path}" is a folder: expected a file`);
  return failure(`the path "${path}" cannot be read: ${message}`);
}

const execute = promisify(execFile);

const builders = [
  ["kubectl", "kustomize"],
  ["kustomize", "build"],
] as const;

const limits = { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 };

async function kustomized(folder: string): Promise<string> {
  for (const [command, verb] of builders) {
    try {
      // A folder named "--help" is no flag.
      return (await execute(command, [verb, "--", folder], { ...limits, env: process.env })).stdout;
    } catch (error) {
      const { code, stderr, message } = error as NodeJS.ErrnoException & { readonly stderr?: string };
      if (code === "ENOENT") continue;
      throw failure(`-k ${folder}: ${command} ${verb} failed: ${(stderr ?? "").trim() || message}`);
    }
  }
  throw failure(`-k ${folder}: needs kubectl or kustomize on the PATH, which has neither`);
}
