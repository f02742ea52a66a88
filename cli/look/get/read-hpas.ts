import { someAtATime } from "../../../lib/async/semaphore";
import { failure } from "../../shell/failure";
import { compilePath, type JsonPath } from "../../shell/print/json-path-template";
import type { Listing } from "../../../lib/read/find";
import { find, notFoundLines, type Narrowing } from "../../shell/input/find";
import { eventFilter, type EventChoice, eventTypes } from "../print-events";
import type { Found } from "../../../lib/read/found";
import type { ResourceQuery } from "../../shell/input/parse-targets";
import type { Session } from "../../shell/session";
import { type Command, Option } from "commander";
import { addDocumentOptions, collect, type DocumentOptions } from "../../shell/input/document-options";
import { tableFormats } from "../../shell/print/output-format";

/** Numbers by size, all else as text. @throws Failure when the text is no path, or no object has it */
export function sortBy(found: readonly Found[], path: string): readonly Found[] {
  const bare = path.replace(/^\{(.*)\}$/s, "$1");
  const query = compiled(/^[.[$@]/.test(bare) ? bare : `.${bare}`, path);
  const keyed = found.map((one) => ({ one, key: query(one.object)[0] }));
  if (found.length > 0 && keyed.every(({ key }) => key === undefined))
    throw failure(`couldn't find any field with path "${path}" in the list of objects`);
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ one }) => one);
}

function compiled(path: string, given: string): JsonPath {
  try {
    return compilePath(path);
  } catch (error) {
    throw failure(`--sort-by ${given}: ${(error as Error).message}`);
  }
}

function compare(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [textOf(a), textOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export async function read(
  session: Session,
  targets: readonly ResourceQuery[],
  options: GetOptions,
): Promise<readonly Listing[]> {
  const aboutEvents = options.for !== undefined || options.types !== undefined;
  if (aboutEvents && targets.some(({ resource }) => resource.name !== "events"))
    throw failure("--for and --types work only with `get events`");
  const isAsked = eventFilter(options);
  // In sequence: each reads several ranges at a time.
  return someAtATime(targets, { limit: 1, signal: session.signal }, async (target) => {
    const finding = await find(session, target, options);
    const asked = aboutEvents ? finding.found.filter(isAsked) : finding.found;
    return { ...finding, found: options.sortBy === undefined ? asked : sortBy(asked, options.sortBy) };
  });
}

export async function reportMissing(
  session: Session,
  findings: readonly Listing[],
  ignoreNotFound: boolean,
): Promise<boolean> {
  let isMissing = false;
  for (const finding of ignoreNotFound ? [] : findings) {
    const lines = await notFoundLines(session, finding);
    for (const line of lines) session.out.note(line);
    isMissing ||= lines.length > 0;
  }
  return isMissing;
}

export interface GetOptions extends Narrowing, DocumentOptions, EventChoice {
  readonly output?: string;
  readonly watch?: boolean;
  readonly headers: boolean;
  readonly showKind?: boolean;
  readonly showLabels?: boolean;
  readonly labelColumns?: readonly string[];
  readonly sortBy?: string;
  readonly ignoreNotFound?: boolean;
}

export function addGetOptions(command: Command): Command {
  return addDocumentOptions(command)
    .option("-A, --all-namespaces", "objects in all namespaces")
    .option("-l, --selector <selector>", "objects whose labels match, such as -l app=web,tier!=cache")
    .option("--field-selector <selector>", "objects with these fields: metadata.name=web, of events also reason=…")
    .option("-o, --output <format>", tableFormats)
    .option("-w, --watch", "then keep watching, with a line for each change")
    .option("--no-headers", "leave out the header line")
    .option("--show-kind", "names with their type")
    .option("--show-labels", "a last column with all labels")
    .option("-L, --label-columns <labels>", "a column for each of these labels", collect)
    .option("--sort-by <path>", "sort by this field, such as .spec.maxReplicas")
    .option("--ignore-not-found", "do not fail when a name does not exist")
    .addOption(new Option("--for <type/name>", "only events of this object").helpGroup("Options of get events:"))
    .addOption(
      new Option("--types <types>", "only events of these types: Normal, Warning")
        .argParser(eventTypes)
        .helpGroup("Options of get events:"),
    );
}
