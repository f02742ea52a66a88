import { access, readFile, readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type Failure, failure, isFailure } from "../failure";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { growingBuffer } from "../../../lib/async/growing-buffer";

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
  if (paths.filter((path) => path === "-").length > 1)
    throw failure("standard input can be read only once, got -f - twice");
  const inputs: Input[] = [];
  for (const path of paths) {
    if (path === "-") inputs.push({ name: stdinName, text: decoded(await buffer(options.stdin), stdinName) });
    else if (isUrl(path)) inputs.push({ name: path, text: await readUrl(path) });
    else
      for (const file of await filesOf(path, options)) {
        const text = await readable(file, readFile(file))
          .then((bytes) => decoded(bytes, file))
          .catch((error: unknown) => leaveOut(error, options));
        if (text !== undefined) inputs.push({ name: file, text });
      }
  }
  return inputs;
}

function leaveOut(error: unknown, options: InputOptions): undefined {
  if (options.leaveOut === undefined || !isFailure(error)) throw error;
  options.leaveOut(error.message);
}

/** Its byte order mark. */
const utf32 = Buffer.from([0xff, 0xfe, 0, 0]);

/** As kubectl reads it, UTF-16 included, which PowerShell's `>` writes. Without a mark, every other byte of it is 0. */
export function decoded(bytes: Buffer, name: string): string {
  const [first, second, third, fourth] = bytes;
  const zeros = [first, second, third, fourth].filter((byte) => byte === 0).length;
  if (zeros === 3 || bytes.subarray(0, 4).equals(utf32) || bytes.subarray(0, 4).equals(Buffer.from(utf32).reverse()))
    throw failure(`${name}: expected UTF-8 or UTF-16, got UTF-32: save it as UTF-8`);
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && fourth === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && third === 0);
  if (!isLittle && !isBig) return bytes.toString("utf8").replace(/^\uFEFF/, "");
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  return (isBig ? Buffer.from(even).swap16() : even).toString("utf16le").replace(/^\uFEFF/, "");
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
    const isFolder =
      entry.isDirectory() || (entry.isSymbolicLink() && (await readable(path, stat(path))).isDirectory());
    const isWanted = !entry.isSymbolicLink() && !entry.name.startsWith(".");
    if (isFolder && options.recursive === true && isWanted) found.push(...(await filesIn(path, options)));
    else if (!isFolder && extensions.includes(extname(entry.name))) found.push(path);
  }
  return found;
}

async function readable<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw unreadable(path, error);
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

const mostBytes = 16 * 1024 * 1024;

const mostRedirects = 10;

const timeoutMs = 30_000;

const attempts = 3;

/** As in kubectl. */
function isUrl(path: string): boolean {
  return /^https?:\/\//.test(path);
}

/**
 * Retries a server error, like kubectl. Refuses redirects from https to http.
 * @throws Failure
 */
async function readUrl(url: string): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    for (let attempt = 1; ; attempt++) {
      const answer = await followed(url, signal);
      if (answer.ok) return await bodyOf(answer, url);
      await answer.body?.cancel();
      if (answer.status < 500 || attempt === attempts)
        throw failure(
          `unable to read URL "${url}": server reported ${answer.status} ${answer.statusText}, status code=${answer.status}`,
        );
    }
  } catch (error) {
    if (signal.aborted) throw failure(`unable to read URL "${url}": no answer within ${timeoutMs / 1000} s`);
    if (isFailure(error)) throw error;
    const { cause = error } = error as Error;
    throw failure(`unable to read URL "${url}": ${(cause as Error).message}`);
  }
}

async function followed(url: string, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const answer = await fetch(at, { signal, redirect: "manual" });
    const location = answer.headers.get("location");
    if (answer.status < 300 || answer.status >= 400 || location === null) return answer;
    await answer.body?.cancel();
    const next = new URL(location, at).href;
    if (!isUrl(next) || (at.startsWith("https:") && !next.startsWith("https:")))
      throw failure(`unable to read URL "${url}": it redirects to ${next}: expected an https URL`);
    at = next;
  }
  throw failure(`unable to read URL "${url}": stopped after ${mostRedirects} redirects`);
}

async function bodyOf(answer: Response, url: string): Promise<string> {
  const body = growingBuffer();
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    if (body.length + chunk.length > mostBytes)
      throw failure(`unable to read URL "${url}": expected at most ${mostBytes / 1024 / 1024} MB, got more`);
    body.append(chunk);
  }
  return decoded(body.bytes(), url);
}
