import { readFile, readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { failure } from "../failure";
import { type GivenDocument, type Reading, checkSource } from "./check-source";
import { readDocuments } from "./read-documents";

/** A text, and the name that messages use for it. */
export interface Input {
  readonly name: string;
  readonly text: string;
}

export interface InputOptions {
  /** Also read subfolders, except those whose names begin with a dot (.git, the .ebb-schema of `ebb init`). */
  readonly recursive?: boolean;
  /** The stream that "-" names. */
  readonly stdin: Readable;
}

const extensions = [".json", ".yaml", ".yml"];

/**
 * The text of each path: a file, a folder (its *.json, *.yaml and *.yml files, by name), or "-" for standard input.
 *
 * @throws Failure for a path that does not exist or cannot be read.
 */
export async function readInputs(paths: readonly string[], options: InputOptions): Promise<readonly Input[]> {
  if (paths.filter((path) => path === "-").length > 1)
    throw failure("standard input can be read only once, got -f - twice");
  const inputs: Input[] = [];
  for (const path of paths) {
    if (path === "-") inputs.push({ name: "standard input", text: await text(options.stdin) });
    else
      for (const file of await filesOf(path, options))
        inputs.push({ name: file, text: await readable(file, readFile(file, "utf8")) });
  }
  return inputs;
}

/** @throws Failure for a folder without such files. */
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
    const { code, message } = error as NodeJS.ErrnoException;
    throw failure(
      code === "ENOENT" ? `the path "${path}" does not exist` : `the path "${path}" cannot be read: ${message}`,
    );
  }
}

/**
 * All documents of the inputs.
 *
 * @throws Failure with one line per problem. A single bad document refuses all of them.
 */
export function readGiven(inputs: readonly Input[], reading: Omit<Reading, "input">): readonly GivenDocument[] {
  const checked = inputs.flatMap(({ name, text }) =>
    readDocuments(text).map((source) => checkSource(source, { ...reading, input: name })),
  );
  const problems = checked.flatMap((document) => ("problems" in document ? document.problems : []));
  if (problems.length > 0) throw failure(problems.join("\n"));
  return checked.flatMap((document) => ("problems" in document ? [] : [document]));
}

/** The HPAs of some files, with defaults. @throws Failure with file, line and field of each invalid document */
export async function readHpas(files: readonly string[], stdin: Readable): Promise<readonly HorizontalPodAutoscaler[]> {
  const given = readGiven(await readInputs(files, { stdin }), { namespace: "default" });
  const other = given.find(({ kind }) => kind !== "HorizontalPodAutoscaler");
  if (other !== undefined) throw failure(`${other.place}: kind: expected HorizontalPodAutoscaler, got ${other.kind}`);
  return given.map(({ document }) => document as unknown as HorizontalPodAutoscaler);
}
