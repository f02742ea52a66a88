import type { Command } from "commander";
import { someAtATime } from "../../lib/async/semaphore";
import { present } from "../../lib/k8s/map";
import { DurationError, parseDuration } from "../../lib/k8s/time";
import { readsAtATime } from "../../lib/read/find-hpas";
import { type Found, resourceNames } from "../../lib/read/found";
import { addDocumentOptions, type DocumentOptions } from "../shell/input/document-options";
import { failure } from "../shell/failure";
import { find, notFoundLines } from "../shell/input/find";
import type { ResourceQuery } from "../shell/input/parse-targets";
import { isByFile, queriesOf } from "../write/documents/query-files";
import type { Session } from "../shell/session";
import { tableVerb } from "../shell/table-verb";
import type { CliEnvironment } from "../shell/environment";
import { type WaitCondition, parseCondition } from "./wait-condition";

interface WaitOptions extends DocumentOptions {
  readonly for?: readonly string[];
  readonly timeout: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly output?: string;
}

const pollMs = 2000;
const weekMs = 7 * 24 * 60 * 60 * 1000;

export function waitCommand(environment: CliEnvironment): Command {
  return tableVerb<WaitOptions>(environment, {
    name: "wait",
    summary: "Wait until objects have a condition or a value, exist, or are gone.",
    description: "Wait until each object has a condition or a value, exists, or is gone. Exits with 1 when time is up.",
    arguments: [["[TYPE | TYPE/NAME]", "hpa, clusters, sources"], ["[NAME...]"]],
    options: (command) =>
      addDocumentOptions(
        command
          .option(
            "--for <condition>",
            "condition=TYPE[=VALUE], jsonpath={PATH}[=VALUE], create or delete; repeatable",
            each,
          )
          .option("--timeout <duration>", "how long, such as 90s; 0 checks once, a negative one waits a week", "30s")
          .option("--all", "all objects of the type in the namespace")
          .option("-A, --all-namespaces", "objects in all namespaces")
          .option("-l, --selector <selector>", "objects whose labels match, such as -l app=web,tier!=cache")
          .option("--field-selector <selector>", "objects with these fields, such as metadata.name=web")
          .option("-o, --output <format>", "name: print type and name of each object that is as asked"),
      ),
    examples: [
      ["Until an HPA can scale", "ebb wait hpa web --for=condition=ScalingActive"],
      ["Until it is at zero", "ebb wait hpa/web --for=jsonpath='{.status.desiredReplicas}'=0 --timeout=10m"],
      ["Until it is gone", "ebb wait hpa/web --for=delete"],
    ],
    async run(session, line) {
      const { args, options } = line;
      if (options.output !== undefined && options.output !== "name")
        throw failure(`unexpected -o output mode: ${options.output}. We only support '-o name'`);
      const conditions = conditionsOf(options.for ?? []);
      const deadline = session.now() + timeoutOf(options.timeout);
      if (args.length === 0 && !isByFile(options))
        throw failure("You must provide one or more resources by argument or filename.");
      const queries = await queriesOf(session, line);
      let code = 0;
      for (const condition of conditions) code ||= await waitFor(session, { condition, queries, options, deadline });
      return code;
    },
  });
}

function each(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** `create` first, as in kubectl: an absent object has no condition. */
function conditionsOf(texts: readonly string[]): readonly WaitCondition[] {
  if (texts.length === 0)
    throw failure(
      "say with --for what to wait for: condition=TYPE[=VALUE], jsonpath={PATH}[=VALUE], create or delete, such as --for=condition=ScalingActive",
    );
  const conditions = texts.map(parseCondition);
  return [...conditions].sort((a, b) => Number(b.kind === "create") - Number(a.kind === "create"));
}

function timeoutOf(text: string): number {
  try {
    const ms = text === "0" ? 0 : parseDuration(text);
    return ms < 0 ? weekMs : ms;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw failure(`invalid argument ${JSON.stringify(text)} for "--timeout" flag: ${error.message}`);
  }
}

interface Waiting {
  readonly condition: WaitCondition;
  readonly queries: readonly ResourceQuery[];
  readonly options: WaitOptions;
  readonly deadline: number;
}

interface Awaited {
  readonly query: ResourceQuery;
  readonly name: string;
  readonly found: Found | undefined;
}

/** @returns the exit code */
async function waitFor(session: Session, { condition, queries, options, deadline }: Waiting): Promise<number> {
  const { out } = session;
  let waiting = await start(session, { condition, queries, options });
  const isOnce = deadline <= session.now();
  for (;;) {
    const left: Awaited[] = [];
    for (const one of waiting) {
      const found = one.found;
      if (!condition.isMet(found)) left.push(one);
      else out.print(options.output === "name" ? objectOf(one) : `${objectOf(one)} condition met`);
    }
    if (left.length === 0) return 0;
    if (session.now() >= deadline) {
      const what = isOnce ? "condition not met for" : "timed out waiting for the condition on";
      const lines = left.map(({ query, name }) => `${what} ${pluralOf(query)}/${name}`);
      out.note(...(lines.length === 1 ? [`error: ${lines[0]}`] : lines));
      return 1;
    }
    await session.pause(Math.min(pollMs, Math.max(0, deadline - session.now())), session.signal);
    waiting = await look(session, left);
  }
}

/** @throws Failure for names that do not exist, unless the wait is for these */
async function start(
  session: Session,
  { condition, queries, options }: Omit<Waiting, "deadline">,
): Promise<readonly Awaited[]> {
  const found: Awaited[] = [];
  for (const query of queries) {
    const { all = false, allNamespaces = false, selector, fieldSelector } = options;
    if (query.names !== undefined && all)
      throw failure("name cannot be provided when a selector or --all is specified");
    const isNarrowed = all || selector !== undefined || fieldSelector !== undefined;
    if (query.names === undefined && !isNarrowed) throw failure("resource(s) were provided, but no name was specified");
    const listing = await find(session, query, {
      allNamespaces,
      ...present({ selector, fieldSelector }),
    });
    if (listing.missing.length > 0 && condition.kind === "object")
      throw failure((await notFoundLines(session, listing)).join("\n"));
    const missing = condition.kind === "create" ? listing.missing : [];
    found.push(
      ...listing.found.map((one) => ({ query: only(query, one), name: one.name, found: one })),
      ...missing.map((name) => ({ query: { ...query, names: [name] }, name, found: undefined })),
    );
  }
  if (found.length === 0 && condition.kind !== "delete") throw failure("no matching resources found");
  return found;
}

function only({ resource }: ResourceQuery, { cluster, namespace, name }: Found): ResourceQuery {
  return { resource, names: [name], place: { cluster, ...present({ namespace }) } };
}

async function look(session: Session, waiting: readonly Awaited[]): Promise<readonly Awaited[]> {
  return await someAtATime(waiting, { limit: readsAtATime, signal: session.signal }, async (one) => {
    const { found } = await find(session, one.query, {});
    return { ...one, found: found[0] };
  });
}

function objectOf({ query, name }: Awaited): string {
  return `${resourceNames[query.resource.name].singular}/${name}`;
}

function pluralOf({ resource }: ResourceQuery): string {
  return resourceNames[resource.name].plural.split(".")[0] ?? "";
}
