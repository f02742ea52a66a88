import childProcess, { ChildProcess, type SpawnSyncReturns } from "node:child_process";
import fs from "node:fs";
import { resolve } from "node:path";
import { canariesIn } from "./canary";
import { record } from "./run-record";
import { searchFolder } from "./search-folder";

/** Hears what a process of the test run writes. */
interface Watch {
  /** A temporary folder was made. */
  made(folder: string): void;
  /** A file or a folder is about to be removed. */
  removing(path: string): void;
  /** A text goes to a terminal or a log. */
  text(where: string, text: string): void;
  planted(path: string): void;
}

const watchSymbol = Symbol.for("ebb.test.watchedWrites");
/** Node's own object, which all test files of a process share. */
const shared = fs.promises as { [watchSymbol]?: Watch };

/** Searches for secrets in each folder just before it is removed, and in each text, in the name of this test file. */
export function watchWrites(test: string): void {
  if (shared[watchSymbol] === undefined) install();
  const places = new Set<string>();
  shared[watchSymbol] = {
    made: (folder) => record({ folder }),
    removing(path) {
      for (const file of searchFolder(resolve(path), places))
        record({ test, where: file, found: "a secret in a file" });
    },
    text(where, text) {
      for (const found of canariesIn(text)) record({ test, where, found });
    },
    planted(path) {
      places.add(resolve(path));
      record({ planted: resolve(path) });
    },
  };
}

/** A text that a user sees, or that a log keeps. */
export function searched(where: string, text: string): void {
  shared[watchSymbol]?.text(where, text);
}

/** Says that a test puts secrets at this path, or below it. */
export function planted(path: string): void {
  shared[watchSymbol]?.planted(path);
}

/** Once for each process. */
function install(): void {
  for (const [object, name] of [
    [fs, "mkdtempSync"],
    [fs.promises, "mkdtemp"],
  ] as const)
    replace(object, name, (make, ...args) => {
      const made = make(...args) as string | Promise<string>;
      if (typeof made === "string") shared[watchSymbol]?.made(made);
      else made.then((folder) => shared[watchSymbol]?.made(folder)).catch(() => undefined);
      return made;
    });
  for (const [object, name] of [
    [fs, "rmSync"],
    [fs.promises, "rm"],
  ] as const)
    replace(object, name, (remove, ...args) => {
      shared[watchSymbol]?.removing(String(args[0]));
      return remove(...args);
    });
  watchChildren();
  for (const name of ["stdout", "stderr"] as const)
    replace(process[name], "write", (write, ...args) => {
      shared[watchSymbol]?.text(name, String(args[0]));
      return write(...args);
    });
}

/** What a child process prints, by every way to read it. */
function watchChildren(): void {
  const text = (command: unknown, printed: unknown) => {
    if (typeof printed === "string" || Buffer.isBuffer(printed))
      shared[watchSymbol]?.text(`the output of ${String(command)}`, String(printed));
  };
  const { spawn } = ChildProcess.prototype as unknown as { spawn: (this: ChildProcess, ...args: unknown[]) => unknown };
  Object.defineProperty(ChildProcess.prototype, "spawn", {
    configurable: true,
    writable: true,
    value(this: ChildProcess, ...args: unknown[]): unknown {
      const result = spawn.apply(this, args);
      // What a test puts into a command line, it plants: a credential plugin prints its secret.
      const isPlanted = canariesIn(this.spawnargs.join(" ")).length > 0;
      for (const stream of [this.stdout, this.stderr])
        if (stream !== null && !isPlanted)
          replace(stream, "push", (push, chunk, ...more) => {
            text(this.spawnfile, chunk);
            return push(chunk, ...more);
          });
      return result;
    },
  });
  replace(childProcess, "spawnSync", (run, ...args) => {
    const result = run(...args) as SpawnSyncReturns<unknown>;
    for (const printed of [result.stdout, result.stderr]) text(args[0], printed);
    return result;
  });
  replace(childProcess, "execFileSync", (run, ...args) => {
    const printed = run(...args);
    text(args[0], printed);
    return printed;
  });
}

type AnyFunction = (...args: readonly unknown[]) => unknown;

function replace(
  object: object,
  name: string,
  around: (original: AnyFunction, ...args: readonly unknown[]) => unknown,
): void {
  const original = (Reflect.get(object, name) as AnyFunction).bind(object);
  const value = (...args: readonly unknown[]) => around(original, ...args);
  Object.defineProperty(object, name, { configurable: true, writable: true, value });
}
